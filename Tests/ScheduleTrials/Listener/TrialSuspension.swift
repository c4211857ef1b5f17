import CalotypeHTTPListener
import TaskFlow
import TaskFlowTesting

/// A connection that is out of the library's loop, or in it.
final class TrialSuspension: Suspending {
    private struct State {
        var isSuspended = false
        /// Whether it was suspended or resumed twice.
        var isWrong = false
        var library: CheckedContinuation<Void, Never>?
    }

    private let state = Guarded(State())

    var isSuspended: Bool { state.withLock(\.isSuspended) }

    func suspend() {
        turn(to: true)
    }

    func resume() {
        turn(to: false)
        // Called under the lock of the exchange, where nobody may be resumed: as for the library, there is a wake-up.
        // Owner: the schedule.
        Task(name: "wake-up") {
            self.state.withLock { state in
                defer { if !state.isSuspended { state.library = nil } }
                return state.isSuspended ? nil : state.library
            }?.resume()
        }
    }

    /// Waits until it is in the loop.
    func pass() async throws {
        if state.withLock(\.isWrong) {
            throw ScheduleViolation("a connection was suspended or resumed twice")
        }
        await withCheckedContinuation { continuation in
            let isIn = state.withLock { state in
                if state.isSuspended { state.library = continuation }
                return !state.isSuspended
            }
            if isIn { continuation.resume() }
        }
    }

    private func turn(to isSuspended: Bool) {
        state.withLock { state in
            if state.isSuspended == isSuspended { state.isWrong = true }
            state.isSuspended = isSuspended
        }
    }
}
