import CalotypeCore
import TaskFlow

/// The memory for encoded bytes, and how much of it each download may take.
final class SourceMemory: Sendable {
    private let gate: AdmissionGate
    /// The half of the memory that may be reserved for sources whose origins have not responded yet.
    private let early: AdmissionGate
    /// The minimum share of a download.
    ///
    /// All connections together have a quarter of the memory by that, so that another
    /// quarter is left for downloads whose bytes arrive.
    private let leastShare: Int
    private let estimate = SizeEstimate()

    /// Creates a memory of `capacity` for downloads over at most that many `connections`.
    init(_ capacity: ByteCount, connections: Int) {
        let bytes = capacity.bytes
        gate = AdmissionGate(capacity: bytes, keptBack: bytes / 4)
        early = AdmissionGate(capacity: max(bytes / 2, 1))
        leastShare = max(bytes / 4 / max(connections, 1), 1)
    }

    /// How full the memory is.
    var snapshot: AdmissionGate.Snapshot { gate.snapshot }

    /// What is reserved for sources whose origins have not responded yet.
    var earlySnapshot: AdmissionGate.Snapshot { early.snapshot }

    /// What a source of unknown length gets.
    var reservation: Int { estimate.reservation }

    /// Waits for room for complete bytes.
    ///
    /// - Throws: `CancellationError` when cancelled while it waits.
    func admit(_ count: Int, _ priority: LivePriority) async throws -> Permit {
        try await gate.acquire(weight: count, priority: priority)
    }

    /// Takes the length of one complete source into account.
    func record(_ count: Int) { estimate.record(count) }

    /// The share that a download takes before its origin responds.
    ///
    /// Reserves the memory that the source is expected to need, up to half of the memory in total. A further download
    /// starts with little, and takes more as its bytes arrive. So origins that hang hold up no other download, even if
    /// they take all connections.
    final class EarlyShare: Sendable {
        private let memory: SourceMemory
        private let priority: LivePriority
        /// Whether the bytes go to a file as they arrive, and need next to no memory.
        private let isSpooled: Bool
        /// The part of ``SourceMemory/early`` that the download has; `nil` if it started with little.
        private let claim = Guarded<Permit?>(nil)

        init(_ memory: SourceMemory, _ priority: LivePriority, isSpooled: Bool = false) {
            self.memory = memory
            self.priority = priority
            self.isSpooled = isSpooled
        }

        /// Takes the share; call it for each request that a redirect leads to.
        ///
        /// - Throws: `CancellationError` when cancelled while it waits.
        func acquire() async throws -> Permit {
            originResponded()
            let wanted = memory.reservation
            let claim = isSpooled ? nil : memory.early.tryAcquire(weight: wanted)
            self.claim.withLock { $0 = claim }
            return try await memory.admit(claim == nil ? min(wanted, memory.leastShare) : wanted, priority)
        }

        /// Counts the share among those whose bytes arrive.
        func originResponded() {
            let claim = claim.withLock { claim in
                defer { claim = nil }
                return claim
            }
            claim?.release()
        }
    }
}

/// How much memory to reserve for a source of unknown length: what recent ones needed, and half as much again.
///
/// Too little sends bodies to the spool, too much lets fewer of them in; both only cost time. At most 1 MiB, so that
/// large photographs over a slow network are spooled, many at a time, rather than fetched a few at a time.
private final class SizeEstimate: Sendable {
    private static let range = ByteCount.kibibytes(256).bytes...ByteCount.mebibytes(1).bytes
    private let mean = Guarded(ByteCount.kibibytes(512).bytes)

    /// The bytes to reserve for the next source.
    var reservation: Int {
        let mean = mean.withLock { $0 }
        return min(max(mean + mean / 2, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Takes the length of one complete source into account.
    func record(_ bytes: Int) {
        mean.withLock { $0 += (min(bytes, Self.range.upperBound) - $0) / 8 }
    }
}
