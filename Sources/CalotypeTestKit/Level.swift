internal import TaskFlow

/// A number that tests set and await, the base of the other doubles.
final class Level: Sendable {
    private struct Waiter {
        let level: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var level = 0
        var waiters: [UInt64: Waiter] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Guarded(State())

    var current: Int { state.withLock { $0.level } }

    func set(_ level: Int) {
        change { _ in level }
    }

    func add(_ amount: Int) {
        change { $0 + amount }
    }

    /// Waits until the number is at least `level`.
    func reach(_ level: Int) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(id, Waiter(level: level, continuation: $0)) }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func enter(_ id: UInt64, _ waiter: Waiter) {
        let outcome = state.withLock { state -> Result<Void, any Error>? in
            if Task.isCancelled { return .failure(CancellationError()) }
            if state.level >= waiter.level { return .success(()) }
            state.waiters[id] = waiter
            return nil
        }
        if let outcome { waiter.continuation.resume(with: outcome) }
    }

    private func change(_ body: (Int) -> Int) {
        let reached = state.withLock { state in
            state.level = body(state.level)
            let level = state.level
            let reached = state.waiters.filter { $0.value.level <= level }
            for id in reached.keys { state.waiters[id] = nil }
            return reached.values.map(\.continuation)
        }
        for continuation in reached { continuation.resume() }
    }
}
