internal import CalotypeCore
import CalotypeFiles
internal import CalotypeHTTP
internal import CalotypeSQLite
internal import TaskFlow

/// A record of what a publisher did and was about to do, from which a publication resumes after a crash.
///
/// The journal is a SQLite database in a folder of its own, with the files that were created for posts. Any
/// number of processes may use it, but only one at a time works on a publication. It contains texts and file
/// names, and no credentials.
public final class PublishJournal: Sendable {
    /// The maximum number of publications that stay in the journal after they have ended.
    private static let remembered = 10_000

    /// The folder.
    public let folder: String
    private let database: Guarded<JournalDatabase>
    private let group = JournalGroup()
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

    // MARK: Reading

    /// Returns the publications in the journal, the newest first; at most 10,000.
    ///
    /// - Throws: `storage_failed` if the journal cannot be read.
    public func publications() async throws -> [PublicationRecord] {
        try await read { database throws(SQLiteError) in try database.newest(Self.remembered) }
    }

    /// Returns the current record of a publication; `nil` if the journal does not have it.
    func find(_ number: Int64) async throws -> PublicationRecord? {
        try await read { database throws(SQLiteError) in try database.publication(number) }
    }

    /// Returns the current record of a publication that the journal must have.
    func publication(_ number: Int64) async throws -> PublicationRecord {
        guard let record = try await find(number) else {
            throw CalotypeError(.storageFailed, "the publication is missing from the journal", stage: .store)
        }
        return record
    }

    /// Returns the folder for the files that are created for a publication.
    func files(of record: PublicationRecord) -> String { "\(folder)/files/\(record.id)" }

    /// Locks a publication for this process; `nil` if another process has locked it.
    func lock(_ number: Int64) throws -> PublicationLock? {
        do {
            return try PublicationLock(number, of: "\(folder)/locks")
        } catch {
            throw Self.translated(error, folder)
        }
    }

    // MARK: Recording events, in the order of a publication

    /// Finds the publication to continue, or begins a new one, and locks it for this process.
    ///
    /// - Throws: `publish_busy` if another process works on the same post; the errors that
    ///   ``KnownPublications`` reports.
    func begin(
        _ new: NewPublication,
        _ repetition: Repetition,
        at now: WallTime
    ) async throws -> (record: PublicationRecord, lock: PublicationLock) {
        let taken = try await write(.begin) { database throws(SQLiteError) -> Taken in
            let known = try database.publications(new.identity)
            let similar =
                known.isEmpty && repetition == .resume ? try database.publications(ofText: new.text) : []
            // A process with the lock of an unfinished publication works on it, even if the server has
            // nothing yet.
            let isLive = known.contains { !$0.state.isOver && self.tryLock($0.number) == nil }
            if isLive, repetition != .again { return .busy }
            switch KnownPublications(known, similar: similar, new).choice(repetition) {
            case .goOn(let number): return Taken(number, self.tryLock(number))
            case .refuse(let error): return .refused(error)
            case .begin:
                try database.prune(keeping: Self.remembered)
                let number = try database.insert(new, at: now)
                return Taken(number, self.tryLock(number))
            }
        }
        switch taken {
        case .yes(let number, let lock): return (try await publication(number), lock)
        case .refused(let error): throw error
        case .busy:
            throw CalotypeError(
                .publishBusy,
                "another process is publishing the same post to \(new.destination)",
                stage: .request
            )
        }
    }

    /// Records that the file to send for a medium exists.
    ///
    /// `replacing` is true if its bytes differ from those that the server may have.
    func made(
        _ file: SourceFile,
        _ type: MediaType,
        named name: String,
        for item: Int,
        of record: PublicationRecord,
        replacing: Bool
    ) async throws {
        try await change(.file) { database throws(SQLiteError) in
            try database.setFile(file, name: name, type: type, of: item, in: record.number)
            // The new bytes must not be appended to those on the server.
            if replacing { try database.remember(.none, of: item, in: record.number) }
        }
    }

    /// Records the destination's state for the upload of a medium.
    func remembered(_ state: RememberedState, for item: Int, of record: PublicationRecord) async throws {
        try await change(.remember) { database throws(SQLiteError) in
            try database.remember(state, of: item, in: record.number)
        }
    }

    /// Records that a medium is on the server, ready for the post.
    func uploaded(_ medium: UploadedMedium, as item: Int, of record: PublicationRecord) async throws {
        try await change(.uploaded) { database throws(SQLiteError) in
            try database.setUploaded(medium, of: item, in: record.number)
        }
    }

    /// Records that the post may reach the server from `moment` on.
    func sent(_ record: PublicationRecord, at moment: WallTime) async throws {
        try await change(.sent) { database throws(SQLiteError) in
            try database.setSent(moment, in: record.number)
        }
    }

    /// Records that the server refused the post, which therefore does not exist there.
    func refused(_ record: PublicationRecord) async throws {
        try await change(.unsent) { database throws(SQLiteError) in
            try database.setSent(nil, in: record.number)
        }
    }

    /// Records the destination's state for the post.
    func rememberedPost(_ state: RememberedState, of record: PublicationRecord) async throws {
        try await change(.post) { database throws(SQLiteError) in
            try database.rememberPost(state, in: record.number)
        }
    }

    /// Records that the server published the post.
    func posted(_ post: PublishedPost, of record: PublicationRecord) async throws {
        try await change(.posted) { database throws(SQLiteError) in
            try database.setPosted(post, in: record.number)
        }
    }

    /// Records that the publication ended in this state, for this reason.
    func ended(_ record: PublicationRecord, _ state: PublicationState, because problem: String?) async throws
    {
        try await change(.state) { database throws(SQLiteError) in
            try database.setState(state, problem: problem, in: record.number)
        }
    }

    /// Records what a person found on the server for a post whose outcome was unknown.
    func settled(_ record: PublicationRecord, _ finding: PostFinding) async throws {
        switch finding {
        case .published(let url):
            let media = record.items.compactMap(\.uploaded)
            try await posted(PublishedPost(id: nil, url: url?.text, media: media), of: record)
        case .notPublished:
            try await change(.unsent) { database throws(SQLiteError) in
                let problem = "recorded as not published (publish settle)"
                try database.setSent(nil, in: record.number)
                try database.setState(.failed, problem: problem, in: record.number)
            }
        }
    }

    /// Records that the server no longer has any part of this medium.
    func removed(_ item: Int, of record: PublicationRecord) async throws {
        try await change(.cleaned) { database throws(SQLiteError) in
            try database.remember(.none, of: item, in: record.number)
            try database.setUploaded(nil, of: item, in: record.number)
        }
    }

    /// Records that the server no longer has a draft of the post.
    func removedDraft(of record: PublicationRecord) async throws {
        try await change(.cleaned) { database throws(SQLiteError) in
            try database.rememberPost(.none, in: record.number)
        }
    }

    // MARK: Database

    private func read<Output: Sendable>(
        _ body: @Sendable (JournalDatabase) throws(SQLiteError) -> Output
    ) async throws -> Output {
        do {
            return try await disk.run { try self.database.withLock { try body($0) } }
        } catch {
            throw Self.translated(error, folder)
        }
    }

    /// Runs `body` in a transaction, which is on the disk when the method returns.
    private func write<Output: Sendable>(
        _ step: JournalMoment.Step,
        _ body: @Sendable (JournalDatabase) throws(SQLiteError) -> Output
    ) async throws -> Output {
        onWrite(JournalMoment(step: step, isDone: false))
        let output = try await read { database throws(SQLiteError) in try database.writing(body) }
        onWrite(JournalMoment(step: step, isDone: true))
        return output
    }

    /// Writes a change, together with others that arrive meanwhile; it is on the disk when the method returns.
    private func change(_ step: JournalMoment.Step, _ body: @escaping JournalGroup.Body) async throws {
        onWrite(JournalMoment(step: step, isDone: false))
        let written = group.add(body)
        try await read { database throws(SQLiteError) in
            self.group.commit(to: database)
            try written.check()
        }
        onWrite(JournalMoment(step: step, isDone: true))
    }

    /// Locks a publication as ``lock(_:)`` does; `nil` also if the lock file fails.
    private func tryLock(_ number: Int64) -> PublicationLock? {
        try? PublicationLock(number, of: "\(folder)/locks")
    }

    private static func translated(_ error: any Error, _ folder: String) -> any Error {
        guard error is SQLiteError || error is SystemError else { return error }
        return CalotypeError(
            .storageFailed,
            "the journal in \(folder) failed: \(error)",
            stage: .store,
            cause: error
        )
    }
}

/// The outcome of an attempt to lock a publication.
private enum Taken: Sendable {
    case yes(Int64, PublicationLock)
    case busy
    case refused(CalotypeError)

    init(_ number: Int64, _ lock: PublicationLock?) {
        self = lock.map { .yes(number, $0) } ?? .busy
    }
}

/// A moment at which a process may die: before or after a transaction of the journal.
package struct JournalMoment: Hashable, Sendable {
    /// The event that is recorded.
    package enum Step: String, Hashable, Sendable, CaseIterable {
        case begin, file, remember, uploaded, post, sent, unsent, posted, state, cleaned
    }

    package let step: Step
    package let isDone: Bool
}
