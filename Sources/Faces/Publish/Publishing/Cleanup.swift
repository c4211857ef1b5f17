internal import CalotypeCore
internal import TaskFlow

/// Removes what a publication left on a server, and then its record of that from the journal.
///
/// A server may carry out a request that was cut off after the request that removes its effect. The cleanup
/// therefore removes such data twice, with a pause between, and the data stays in the journal until then.
struct Cleanup: Sendable {
    private static let width = 4

    private let record: PublicationRecord
    private let sure: Set<Int>
    private let destination: any PublishDestination
    private let publisher: Publisher

    /// - Parameters:
    ///   - record: The journal's record of the publication.
    ///   - sure: The positions of the media that are known to have had only one attempt; none by default. For
    ///     all others, the server may still carry out a request of an earlier attempt.
    ///   - destination: The server.
    ///   - publisher: The publisher of the publication.
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

    /// Removes what can be removed, pausing if necessary.
    ///
    /// - Returns: The names of the media that the server has no way to remove.
    /// - Throws: The first failure, after everything was tried; `CancellationError`.
    func run() async throws -> [String] {
        let kept = try await begin()
        guard isCut else { return kept }
        try await pause()
        return try await kept + finish()
    }

    /// Whether data may still reach the server.
    var isCut: Bool { record.remembered != .none || record.items.contains(where: isOpen) }

    /// Waits until the server has carried out requests that were cut off.
    func pause() async throws {
        try await publisher.configuration.clock.sleep(for: publisher.configuration.settlingTime)
    }

    /// Removes what is on the server now; what may still arrive stays in the journal.
    ///
    /// - Returns: The names of the media that need no second removal, and that the server has no way to
    ///   remove.
    /// - Throws: The errors that ``run()`` throws.
    func begin() async throws -> [String] {
        let kept = try await remove(record.items.filter(\.isAtServer), isLast: false)
        if !isCut { try await removeFiles() }
        return kept
    }

    /// Removes what has arrived on the server since ``begin()``.
    ///
    /// - Returns: The names of the media that the server has no way to remove.
    /// - Throws: The errors that ``run()`` throws.
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
        } catch let error as TaskFlowError {
            throw error.failures.first?.error ?? error
        }
        return kept.withLock(\.self).sorted()
    }

    /// Whether a medium may reach the server after it was removed there.
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

    /// Tries for half a minute at most: a server may still be busy with an upload that was just cut off.
    private func persist<Output>(_ body: () async throws -> Output) async throws -> Output {
        var configuration = publisher.configuration
        configuration.retry.attempts = min(configuration.retry.attempts, 4)
        configuration.retry.budget = min(configuration.retry.budget, .seconds(30))
        let pacing = Pacing(configuration.clock, progress: PublishProgress())
        return try await Attempts(configuration, pacing).run { _ in try await body() }
    }
}
