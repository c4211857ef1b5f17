import CalotypeHTTPListener
import TaskFlow
import TaskFlowTesting

/// A connection that is out of the library's loop, or in it.
///
/// As in the library's own loop, a resumption takes effect between two calls.
final class TrialSuspension: Suspending {
    private struct State {
        var isSuspended = false
        var isResumed = false
        /// Whether it was suspended or resumed twice.
        var isWrong = false
        var library: CheckedContinuation<Void, Never>?
    }

    private let state = Guarded(State())

    var isSuspended: Bool { state.withLock(\.isSuspended) }

    func suspend() {
        state.withLock { state in
            if state.isSuspended { state.isWrong = true }
            state.isSuspended = true
        }
    }

    func resume() {
        let library = state.withLock { state in
            if state.isResumed { state.isWrong = true }
            state.isResumed = true
            defer { state.library = nil }
            return state.library
        }
        library?.resume()
    }

    /// Waits until it is in the loop.
    func pass() async throws {
        await withCheckedContinuation { library in
            let isIn = state.withLock { state in
                guard state.isSuspended, !state.isResumed else { return true }
                state.library = library
                return false
            }
            if isIn { library.resume() }
        }
        let isWrong = state.withLock { state in
            if state.isResumed, !state.isSuspended { state.isWrong = true }
            (state.isSuspended, state.isResumed) = (false, false)
            return state.isWrong
        }
        if isWrong { throw ScheduleError("a connection was suspended or resumed twice") }
    }
}
