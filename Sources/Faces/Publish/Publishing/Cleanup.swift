internal import CalotypeCore
internal import TaskFlow

/// Removes from a server what a publication left there, and then from the journal.
///
/// A request that was cut may be carried out after the one that removes what it brings. What it left is therefore looked for twice, with
/// a pause between, and stays in the journal until then.
struct Cleanup: Sendable {
    private static let width = 4

    private let record: PublicationRecord
    private let sure: Set<Int>
    private let destination: any PublishDestination
    private let publisher: Publisher

    /// - Parameters:
    ///   - record: What the journal has of the publication.
    ///   - sure: The places of the media that are known to have had one attempt; none by default. Of all others a request of an earlier
    ///     attempt may still be carried out.
    ///   - destination: The server.
    ///   - publisher: Whose publication it is.
    init(
        _ record: PublicationRecord,
        sure: Set<Int> = [],
        at destination: any PublishDestination,
        of publisher: Publisher
    ) {
        self.record = record
        self.sure = sure
        self.destination = destination
        self.publisher = publisher
    }

    /// Removes what can be removed, with the pause.
    ///
    /// - Returns: The names of the media that the server has no way to remove.
    /// - Throws: The first failure, when all has been tried; `CancellationError`.
    func run() async throws -> [String] {
        let kept = try await begin()
        guard isCut else { return kept }
        try await pause()
        return try await kept + finish()
    }

    /// Whether something may still come to the server.
    var isCut: Bool { record.remembered != .none || record.items.contains(where: isOpen) }

    /// Waits until a request that was cut has been carried out.
    func pause() async throws {
        try await publisher.configuration.clock.sleep(for: publisher.configuration.settlingTime)
    }

    /// Removes what is there now; what may still come stays in the journal.
    ///
    /// - Returns: The names of the media that are not looked for again, and that the server has no way to remove.
    /// - Throws: As ``run()``.
    func begin() async throws -> [String] {
        let kept = try await remove(record.items.filter(\.isAtServer), isLast: false)
        if !isCut { try await removeFiles() }
        return kept
    }

    /// Removes what has come to the server since ``begin()``.
    ///
    /// - Returns: The names of the media that the server has no way to remove.
    /// - Throws: As ``run()``.
    func finish() async throws -> [String] {
        let kept = try await remove(record.items.filter(isOpen), isLast: true)
        try await removeFiles()
        return kept
    }

    private func remove(_ items: [ItemRecord], isLast: Bool) async throws -> [String] {
        let kept = Guarded<[String]>([])
        var jobs = items.map { item in
            Job<Void> {
                let isKnown = isLast || !isOpen(item)
                let discarded = try await discard(item, isKnown: isKnown)
                if isKnown, discarded == .kept { kept.withLock { $0.append(item.name) } }
            }
        }
        if record.remembered != .none { jobs.append(Job<Void> { try await discardDraft(isKnown: isLast) }) }
        do {
            try await Job<Void>.group(jobs, width: Self.width, errors: .all).run()
        } catch let errors as JobGroupErrors {
            throw errors.failures.first?.error ?? errors
        }
        return kept.withLock(\.self).sorted()
    }

    /// Whether a medium may come to the server after it was removed there.
    private func isOpen(_ item: ItemRecord) -> Bool {
        let isSure = !item.isCut && sure.contains(item.position)
        return item.isAtServer && !isSure && !destination.awaitsCutUploads
    }

    private func discard(_ item: ItemRecord, isKnown: Bool) async throws -> Discarded {
        let discarded = try await persist {
            try await destination.discard(item.remembered, item.uploaded, publisher.client)
        }
        guard isKnown else { return discarded }
        try await publisher.journal.removed(item.position, of: record)
        return discarded
    }

    private func discardDraft(isKnown: Bool) async throws {
        try await persist { try await destination.discardDraft(record.remembered, publisher.client) }
        guard isKnown else { return }
        try await publisher.journal.removedDraft(of: record)
    }

    private func removeFiles() async throws {
        let folder = publisher.journal.files(of: record)
        try await publisher.disk.run { JournalFolder.remove(folder) }
    }

    /// Tries for half a minute at most: a server may still be busy with the upload that was just cut.
    private func persist<Output>(_ body: () async throws -> Output) async throws -> Output {
        var configuration = publisher.configuration
        configuration.retry.attempts = min(configuration.retry.attempts, 4)
        configuration.retry.budget = min(configuration.retry.budget, .seconds(30))
        let pacing = Pacing(configuration.clock, progress: PublishProgress())
        return try await Attempts(configuration, pacing).run { _ in try await body() }
    }
}
