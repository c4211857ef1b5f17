import CalotypeCore
import TaskFlow

/// The share of memory that a download takes before its origin answers.
///
/// What the source is likely to need is set aside for it, as long as all such shares together take half of the memory at most.
/// A download that comes on top begins with little, and takes more when its bytes come. So origins that hang hold up nobody,
/// be they as many as there are connections.
final class EarlyShare: Sendable {
    private let loader: SourceLoader
    private let priority: LivePriority
    /// Whether the bytes go to a file as they come, and need next to no memory.
    private let isSpooled: Bool
    /// The part of ``SourceLoader/early`` that the download has; `nil` where it began with little.
    private let claim = Guarded<Permit?>(nil)

    init(_ loader: SourceLoader, _ priority: LivePriority, isSpooled: Bool = false) {
        self.loader = loader
        self.priority = priority
        self.isSpooled = isSpooled
    }

    /// Takes the share; called again for each request that a redirect leads to.
    ///
    /// - Throws: `CancellationError` when cancelled while it waits.
    func acquire() async throws -> Permit {
        originAnswered()
        let wanted = loader.estimate.reservation
        let claim = isSpooled ? nil : loader.early.tryAcquire(weight: wanted)
        self.claim.withLock { $0 = claim }
        let weight = claim == nil ? min(wanted, loader.leastShare) : wanted
        return try await loader.memory.acquire(weight: weight, priority: priority)
    }

    /// The share is for bytes that come from now on.
    func originAnswered() {
        let claim = claim.withLock { claim in
            defer { claim = nil }
            return claim
        }
        claim?.release()
    }
}

/// How much memory to set aside for a source whose length is not known yet: what recent ones needed, and half as
/// much again.
///
/// Too little sends bodies to the spool, too much lets fewer of them in; both only cost time. At most 1 MiB, so that
/// large photographs over a slow network are spooled, many at a time, rather than fetched a few at a time.
final class SizeEstimate: Sendable {
    private static let range = ByteCount.kibibytes(256).bytes...ByteCount.mebibytes(1).bytes
    private let mean = Guarded(ByteCount.kibibytes(512).bytes)

    /// The bytes to set aside for the next source.
    var reservation: Int {
        let mean = mean.withLock { $0 }
        return min(max(mean + mean / 2, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Takes the length of one complete source into account.
    func record(_ bytes: Int) {
        mean.withLock { $0 += (min(bytes, Self.range.upperBound) - $0) / 8 }
    }
}
