/// A value that is set once and that many await.
package final class Latch<Value: Sendable>: Sendable {
    private typealias Waiters = [UInt64: CheckedContinuation<Value, any Error>]

    private struct State {
        var value: Value?
        var waiters: Waiters = [:]
        var lastID: UInt64 = 0
        /// The waiters that ignore cancellation.
        var patient: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Guarded(State())

    package init() {}

    /// The value, once it is set.
    package var value: Value? { state.withLock { $0.value } }

    /// Sets the value and wakes the waiters, the oldest first; a second call does nothing.
    package func set(_ value: Value) {
        let (waiters, patient) = state.withLock { state -> (Waiters, [CheckedContinuation<Value, Never>]) in
            guard state.value == nil else { return ([:], []) }
            state.value = value
            defer {
                state.waiters = [:]
                state.patient = []
            }
            return (state.waiters, state.patient)
        }
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: value) }
        for waiter in patient { waiter.resume(returning: value) }
    }

    /// Waits for the value; returns immediately if it is set.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled first.
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

    /// Waits for the value, even in a cancelled task.
    package func waitUncancelled() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if state.value == nil { state.patient.append(continuation) }
                return state.value
            }
            if let value { continuation.resume(returning: value) }
        }
    }

    private func enter(_ id: UInt64, _ waiter: CheckedContinuation<Value, any Error>) {
        let outcome = state.withLock { state -> Result<Value, any Error>? in
            if let value = state.value { return .success(value) }
            // Checked under the lock: a cancel before this is seen here, a later one finds the waiter.
            if Task.isCancelled { return .failure(CancellationError()) }
            state.waiters[id] = waiter
            return nil
        }
        if let outcome { waiter.resume(with: outcome) }
    }
}
