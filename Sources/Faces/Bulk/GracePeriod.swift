internal import Dispatch
internal import TaskFlow

/// A wait that begins when its task is cancelled and is over after some time, or when the work has ended before.
final class GracePeriod: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Bool, Never>)
        case over
    }

    private let state = Guarded(State.open)

    /// Waits until the period is over; `false` when ``end()`` came first.
    ///
    /// Cancellation does not cut it short: it has happened already.
    func wait(_ length: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard case .open = state else { return true }
                state = .waiting(continuation)
                return false
            }
            if isOver { return continuation.resume(returning: false) }
            let deadline = DispatchTime.now() + .milliseconds(Int(clamping: length.inMilliseconds))
            DispatchQueue.global().asyncAfter(deadline: deadline) { self.finish(true) }
        }
    }

    /// Tells that the work has ended.
    func end() {
        finish(false)
    }

    private func finish(_ isOverdue: Bool) {
        let waiter = state.withLock { state in
            defer { state = .over }
            if case .waiting(let continuation) = state {
                return continuation as CheckedContinuation<Bool, Never>?
            }
            return nil
        }
        waiter?.resume(returning: isOverdue)
    }
}
