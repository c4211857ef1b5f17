internal import CalotypeSQLite
internal import TaskFlow

/// Changes of the journal that share a transaction, and with it one wait for the disk.
///
/// While one group is being written, callers add their changes to the next.
final class JournalGroup: Sendable {
    /// A change that waits to be written, and its outcome.
    final class Change: Sendable {
        fileprivate let body: Body
        fileprivate let outcome = Guarded<Result<Void, SQLiteError>?>(nil)

        fileprivate init(_ body: @escaping Body) {
            self.body = body
        }

        /// Throws the error of the transaction that contained the change; call it after ``commit(to:)``.
        func check() throws(SQLiteError) {
            try outcome.withLock(\.self)?.get()
        }
    }

    typealias Body = @Sendable (JournalDatabase) throws(SQLiteError) -> Void

    private let waiting = Guarded<[Change]>([])

    /// Adds a change to the group that will be written next.
    func add(_ body: @escaping Body) -> Change {
        let change = Change(body)
        waiting.withLock { $0.append(change) }
        return change
    }

    /// Writes all waiting changes in one transaction; blocks.
    ///
    /// If the transaction fails, each change gets a transaction of its own, so that it fails or succeeds alone.
    func commit(to database: JournalDatabase) {
        let changes = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !changes.isEmpty else { return }
        let outcome = Self.write(changes, to: database)
        if changes.count > 1, case .failure = outcome {
            for change in changes { change.outcome.withLock { $0 = Self.write([change], to: database) } }
        } else {
            for change in changes { change.outcome.withLock { $0 = outcome } }
        }
    }

    private static func write(_ changes: [Change], to database: JournalDatabase) -> Result<Void, SQLiteError>
    {
        Result { () throws(SQLiteError) in
            try database.writing { database throws(SQLiteError) in
                for change in changes { try change.body(database) }
            }
        }
    }
}
