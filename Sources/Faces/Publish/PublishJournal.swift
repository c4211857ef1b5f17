internal import CalotypeCore
import CalotypeFiles
internal import CalotypeHTTP
internal import CalotypeSQLite
internal import TaskFlow

/// What was begun, written down before it was done: by it a publication goes on after a crash.
///
/// It is a SQLite database in a folder of its own, with the files that had to be made for posts. Any number of processes may use
/// it; one publication is worked on by one of them at a time. It holds texts and file names, and no credentials.
public final class PublishJournal: Sendable {
    /// The most publications that are remembered after they have ended.
    static let remembered = 10_000

    /// The folder.
    public let folder: String
    private let database: Guarded<JournalDatabase>
    private let disk: any TaskExecutor
    private let onWrite: @Sendable (JournalMoment) -> Void

    /// Opens the journal in `folder`; blocks.
    init(
        folder: String,
        disk: any TaskExecutor,
        onWrite: @escaping @Sendable (JournalMoment) -> Void
    ) throws {
        self.folder = folder
        self.disk = disk
        self.onWrite = onWrite
        do {
            try JournalFolder.create(folder)
            database = Guarded(try JournalDatabase("\(folder)/journal.sqlite"))
        } catch {
            throw Self.translated(error, folder)
        }
    }

    /// What is in the journal, the newest first; at most 10,000.
    ///
    /// - Throws: `storage_failed` when the journal cannot be read.
    public func publications() async throws -> [PublicationRecord] {
        try await read { database throws(SQLiteError) in try database.newest(Self.remembered) }
    }

    // MARK: Within the module

    func publication(_ number: Int64) async throws -> PublicationRecord? {
        try await read { database throws(SQLiteError) in try database.publication(number) }
    }

    func read<Output: Sendable>(
        _ body: @Sendable (JournalDatabase) throws(SQLiteError) -> Output
    ) async throws -> Output {
        do {
            return try await disk.run { try self.database.withLock { try body($0) } }
        } catch {
            throw Self.translated(error, folder)
        }
    }

    /// Runs `body` in one transaction, which is on the disk when this returns.
    func write<Output: Sendable>(
        _ step: JournalMoment.Step,
        _ body: @Sendable (JournalDatabase) throws(SQLiteError) -> Output
    ) async throws -> Output {
        onWrite(JournalMoment(step: step, isDone: false))
        let output = try await read { database throws(SQLiteError) in try database.writing(body) }
        onWrite(JournalMoment(step: step, isDone: true))
        return output
    }

    /// As ``lock(_:)``; `nil` also where the lock cannot be had for another reason.
    func tryLock(_ number: Int64) -> PublicationLock? {
        try? PublicationLock(number, of: "\(folder)/locks")
    }

    /// Takes a publication for this process until the lock is let go; `nil` where another has it.
    func lock(_ number: Int64) throws -> PublicationLock? {
        do {
            return try PublicationLock(number, of: "\(folder)/locks")
        } catch {
            throw Self.translated(error, folder)
        }
    }

    private static func translated(_ error: any Error, _ folder: String) -> any Error {
        switch error {
        case let error as SQLiteError:
            CalotypeError(
                .storageFailed,
                "the journal in \(folder) failed: \(error)",
                stage: .store,
                cause: error
            )
        case let error as SystemError:
            CalotypeError(
                .storageFailed,
                "the journal in \(folder) failed: \(error)",
                stage: .store,
                cause: error
            )
        default: error
        }
    }
}

/// A moment at which a process may die: before or after a transaction of the journal.
package struct JournalMoment: Hashable, Sendable {
    /// What is written.
    package enum Step: String, Hashable, Sendable, CaseIterable {
        case begin, file, remember, uploaded, post, sent, unsent, posted, state, cleaned
    }

    package let step: Step
    package let isDone: Bool
}
