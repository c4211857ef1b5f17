import CalotypeCore
import TaskFlow

/// The memory for encoded bytes, and the share of each download.
final class SourceMemory: Sendable {
    private let gate: AdmissionGate
    /// The half of the memory that may be reserved for sources whose origins have not responded yet.
    private let early: AdmissionGate
    /// The memory for uploads, a quarter as much again: senders that stall take none of it from downloads.
    private let uploads: AdmissionGate
    /// The minimum share of a download.
    ///
    /// With it, all connections together take a quarter of the memory, so that another quarter remains for
    /// downloads whose bytes arrive.
    private let leastShare: Int
    private let estimate = SizeEstimate()

    /// Creates a memory of `capacity` for downloads over at most `connections` connections.
    init(_ capacity: ByteCount, connections: Int) {
        let bytes = capacity.bytes
        gate = AdmissionGate(capacity: bytes, keptBack: bytes / 4)
        early = AdmissionGate(capacity: max(bytes / 2, 1))
        uploads = AdmissionGate(capacity: max(bytes / 4, 1))
        leastShare = max(bytes / 4 / max(connections, 1), 1)
    }

    /// The current use of the memory.
    var snapshot: AdmissionGate.Snapshot { gate.snapshot }

    /// The memory reserved for sources whose origins have not responded yet.
    var earlySnapshot: AdmissionGate.Snapshot { early.snapshot }

    /// The memory that uploads hold.
    var uploadBytes: Int { uploads.snapshot.used }

    /// Takes the share that an upload starts with, without waiting.
    ///
    /// Returns `nil` if there is none now.
    func uploadShare() -> Permit? { uploads.tryAcquire(weight: leastShare) }

    /// The reservation for a source of unknown length.
    var reservation: Int { estimate.reservation }

    /// Waits for memory for complete bytes.
    ///
    /// - Throws: `CancellationError` if cancelled while waiting.
    func admit(_ count: Int, _ priority: LivePriority) async throws -> Permit {
        try await gate.acquire(weight: count, priority: priority)
    }

    /// Includes the length of a complete source in the estimate.
    func record(_ count: Int) { estimate.record(count) }

    /// The share that a download takes before its origin responds.
    ///
    /// Reserves the memory that the source is expected to need, up to half of the memory in total. A further
    /// download starts with little, and takes more as its bytes arrive. So origins that hang delay no other
    /// download, even if they take all connections.
    final class EarlyShare: Sendable {
        private let memory: SourceMemory
        private let priority: LivePriority
        /// Whether the bytes go to a file as they arrive, and need hardly any memory.
        private let isSpooled: Bool
        /// The download's part of ``SourceMemory/early``; `nil` if it started with little.
        private let claim = Guarded<Permit?>(nil)

        init(_ memory: SourceMemory, _ priority: LivePriority, isSpooled: Bool = false) {
            self.memory = memory
            self.priority = priority
            self.isSpooled = isSpooled
        }

        /// Takes the share.
        ///
        /// Call it for each request that a redirect leads to.
        ///
        /// - Throws: `CancellationError` if cancelled while waiting.
        func acquire() async throws -> Permit {
            originResponded()
            let wanted = memory.reservation
            let claim = isSpooled ? nil : memory.early.tryAcquire(weight: wanted)
            self.claim.withLock { $0 = claim }
            return try await memory.admit(claim == nil ? min(wanted, memory.leastShare) : wanted, priority)
        }

        /// Counts the share as that of a source whose bytes arrive.
        func originResponded() {
            let claim = claim.withLock { claim in
                defer { claim = nil }
                return claim
            }
            claim?.release()
        }
    }
}

/// Estimates the memory for a source of unknown length: the need of recent ones plus half as much again.
///
/// Too little sends bodies to the spool, too much admits fewer of them; both only cost time. The maximum is 1
/// MiB, so that large photographs over a slow network are spooled, many at a time, rather than fetched a few
/// at a time.
private final class SizeEstimate: Sendable {
    private static let range = ByteCount.kibibytes(256).bytes...ByteCount.mebibytes(1).bytes
    private let mean = Guarded(ByteCount.kibibytes(512).bytes)

    /// The bytes to reserve for the next source.
    var reservation: Int {
        let mean = mean.withLock { $0 }
        return min(max(mean + mean / 2, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Includes the length of a complete source.
    func record(_ bytes: Int) {
        mean.withLock { $0 += (min(bytes, Self.range.upperBound) - $0) / 8 }
    }
}
