import Synchronization

/// How many signals have arrived.
final class SignalCount: Sendable {
    private let count = Atomic(0)

    /// Counts one more and returns the number.
    func next() -> Int {
        count.add(1, ordering: .relaxed).newValue
    }
}
