import TaskFlow

/// Cancels work, even if it has not begun when the switch is used.
final class CancelSwitch: Sendable {
    private struct State {
        var isPulled = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())

    func arm(_ cancel: @escaping @Sendable () -> Void) {
        let isPulled = state.withLock { state in
            state.cancel = cancel
            return state.isPulled
        }
        if isPulled { cancel() }
    }

    func pull() {
        let cancel = state.withLock { state in
            state.isPulled = true
            return state.cancel
        }
        cancel?()
    }
}
