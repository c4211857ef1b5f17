import TaskFlow

/// Counts the answers that come without a task, for the owner of the listener to wait for.
final class LaterAnswers: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var owner: CheckedContinuation<Void, Never>?
    }

    private let state = Guarded(State())

    /// Counts one more; false when the listener has ended.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.count += 1
            return true
        }
    }

    /// One has come.
    func end() {
        let owner = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.owner = nil }
            return state.owner
        }
        owner?.resume()
    }

    /// Lets none begin, and returns when all have come.
    func close() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.isClosed = true
                if state.count > 0 { state.owner = continuation }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
