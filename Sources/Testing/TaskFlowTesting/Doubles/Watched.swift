internal import TaskFlow

/// A value that tests change and await, the base of the other doubles.
///
/// Those who wait are woken in the order in which they came, so that a run on a manual executor can be had again.
package final class Watched<Value: Sendable>: Sendable {
    private struct Watcher {
        let id: UInt64
        let isMet: @Sendable (Value) -> Bool
        let waiter: CheckedContinuation<Value, any Error>
    }

    private struct State {
        var value: Value
        var watchers: [Watcher] = []
        var lastID: UInt64 = 0

        /// Takes out those who have what they wait for.
        mutating func takeMet() -> [Watcher] {
            guard !watchers.isEmpty else { return [] }
            let met = watchers.filter { $0.isMet(value) }
            if !met.isEmpty { watchers.removeAll { watcher in met.contains { $0.id == watcher.id } } }
            return met
        }
    }

    private let state: Guarded<State>

    package init(_ value: Value) {
        state = Guarded(State(value: value))
    }

    package var current: Value { state.withLock { $0.value } }

    /// Changes the value and wakes those who have waited for what it is now.
    @discardableResult
    package func change<Output: Sendable>(_ body: (inout Value) -> Output) -> Output {
        let (output, met, value) = state.withLock { state in
            let output = body(&state.value)
            let met = state.takeMet()
            return (output, met, met.isEmpty ? nil : state.value)
        }
        if let value {
            for watcher in met { watcher.waiter.resume(returning: value) }
        }
        return output
    }

    /// Waits until the value is as `isMet` wants it, and returns it; `isMet` is asked under the lock.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    package func wait(until isMet: @escaping @Sendable (Value) -> Bool) async throws -> Value {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(Watcher(id: id, isMet: isMet, waiter: $0)) }
        } onCancel: {
            leave(id)
        }
    }

    private func enter(_ watcher: Watcher) {
        let outcome = state.withLock { state -> Result<Value, any Error>? in
            if Task.isCancelled { return .failure(CancellationError()) }
            if watcher.isMet(state.value) { return .success(state.value) }
            state.watchers.append(watcher)
            return nil
        }
        if let outcome { watcher.waiter.resume(with: outcome) }
    }

    private func leave(_ id: UInt64) {
        let watcher = state.withLock { state -> Watcher? in
            guard let index = state.watchers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.watchers.remove(at: index)
        }
        watcher?.waiter.resume(throwing: CancellationError())
    }
}
