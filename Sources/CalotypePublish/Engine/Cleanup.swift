internal import CalotypeCore
internal import SQLiteConnection
internal import TaskFlow

/// Removes from a server what a publication left there, and then from the journal.
struct Cleanup: Sendable {
    private static let width = 4

    private let number: Int64
    private let destination: any PublishDestination
    private let publisher: Publisher

    init(_ number: Int64, at destination: any PublishDestination, of publisher: Publisher) {
        self.number = number
        self.destination = destination
        self.publisher = publisher
    }

    /// Removes what can be removed.
    ///
    /// - Throws: The first failure, when all has been tried; `CancellationError`.
    func run() async throws {
        let number = number
        let record = try await publisher.journal.read { database throws(SQLiteError) in
            try database.publication(number)
        }
        guard let record else { return }
        var jobs = record.items.filter(\.isAtServer).map { item in Job<Void> { try await discard(item) } }
        if record.remembered != .none { jobs.append(Job<Void> { try await discardDraft(record) }) }
        do {
            try await Job<Void>.group(jobs, width: Self.width, errors: .all).run()
        } catch let errors as JobGroupErrors {
            throw errors.failures.first?.error ?? errors
        }
        let folder = publisher.journal.files(of: record)
        try await publisher.disk.run { JournalFolder.remove(folder) }
    }

    private func discard(_ item: ItemRecord) async throws {
        try await persist { try await destination.discard(item.remembered, item.uploaded, publisher.client) }
        try await publisher.journal.write(.cleaned) { [number] database throws(SQLiteError) in
            try database.remember(.none, of: item.position, in: number)
            try database.setUploaded(nil, of: item.position, in: number)
        }
    }

    private func discardDraft(_ record: PublicationRecord) async throws {
        try await persist { try await destination.discardDraft(record.remembered, publisher.client) }
        try await publisher.journal.write(.cleaned) { [number] database throws(SQLiteError) in
            try database.rememberPost(.none, in: number)
        }
    }

    /// Tries for half a minute at most: a server may still be busy with the upload that was just cut.
    private func persist(_ body: () async throws -> Void) async throws {
        var configuration = publisher.configuration
        configuration.retry.attempts = min(configuration.retry.attempts, 4)
        configuration.retry.budget = min(configuration.retry.budget, .seconds(30))
        var attempts = Attempts(configuration, Pacing(configuration.clock, progress: PublishProgress()))
        while true {
            try await attempts.wait()
            do {
                return try await body()
            } catch {
                try Publication.checkCancellation(error)
                _ = try await attempts.recover(from: PublishFailure(error)) { _ in }
            }
        }
    }
}
