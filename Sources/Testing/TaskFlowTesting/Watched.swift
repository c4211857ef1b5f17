internal import TaskFlow

/// An event that happens once in a test, and that others await.
public final class Event: Sendable {
    private let state = Watched(false)

    /// Creates an event that has not happened.
    public init() {}

    /// Whether it has happened.
    public var hasHappened: Bool { state.current }

    /// Makes it happen; a second call does nothing.
    public func signal() {
        state.change { $0 = true }
    }

    /// Waits until it has happened; returns immediately if it has.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func wait() async throws {
        try await state.wait { $0 }
    }
}

/// Records what happens in a test, in order, and lets the test await the next element.
public final class Recorder<Element: Sendable>: Sendable {
    private let elements = Watched<[Element]>([])

    /// Creates an empty recorder.
    public init() {}

    /// The elements recorded so far.
    public var values: [Element] { elements.current }

    /// The number of elements recorded so far.
    public var count: Int { elements.current.count }

    /// Adds an element.
    public func record(_ element: Element) {
        elements.change { $0.append(element) }
    }

    /// Waits until at least `count` elements are recorded, and returns them.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func wait(count: Int) async throws -> [Element] {
        try await elements.wait { $0.count >= count }
    }
}

/// A value that tests change and await; the base of the other doubles.
///
/// Waiters are woken in the order of their arrival, so that a run on a manual executor can be repeated.
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

        /// Removes the watchers whose condition holds.
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

    /// Changes the value and wakes the watchers that the new value satisfies.
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

    /// Waits until `isMet` accepts the value, and returns it; `isMet` is called under the lock.
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
