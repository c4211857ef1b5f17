/// A value that is set once and that many await.
package final class Latch<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [UInt64: CheckedContinuation<Value, any Error>] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Guarded(State())

    package init() {}

    /// The value, once it is set.
    package var value: Value? { state.withLock { $0.value } }

    /// Sets the value and wakes those who wait; a second call changes nothing.
    package func set(_ value: Value) {
        let waiters = state.withLock { state in
            guard state.value == nil else { return [CheckedContinuation<Value, any Error>]() }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Waits for the value; returns at once when it is set.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled first.
    package func wait() async throws -> Value {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(id, $0) }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func enter(_ id: UInt64, _ waiter: CheckedContinuation<Value, any Error>) {
        let outcome = state.withLock { state -> Result<Value, any Error>? in
            if let value = state.value { return .success(value) }
            // Asked under the lock: a cancel before this is seen here, a later one finds the waiter.
            if Task.isCancelled { return .failure(CancellationError()) }
            state.waiters[id] = waiter
            return nil
        }
        if let outcome { waiter.resume(with: outcome) }
    }
}
