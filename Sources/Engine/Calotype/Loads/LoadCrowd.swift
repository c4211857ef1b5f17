import Synchronization

/// Notices the end of a crowd: of a thousand loads or more that were in progress at the same time.
///
/// The C library keeps the memory that their tasks needed, which may be hundreds of megabytes.
final class LoadCrowd: Sendable {
    static let least = 1000

    private let count = Atomic(0)
    private let isCrowd = Atomic(false)

    func loadBegan() {
        let count = count.add(1, ordering: .relaxed).newValue
        if count >= Self.least { isCrowd.store(true, ordering: .relaxed) }
    }

    /// Returns whether this load was the last one of a crowd.
    func loadEnded() -> Bool {
        count.subtract(1, ordering: .relaxed).newValue == 0
            && isCrowd.exchange(false, ordering: .relaxed)
    }
}
