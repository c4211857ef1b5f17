/// A priority that may change while work waits for it, and tells those who queue by it.
///
/// Whoever wants the work sets it; gates and flights that were given it follow, so that an urgent caller who joins
/// late lifts everything that the work waits for.
public final class LivePriority: Sendable {
    private struct State {
        var priority: WorkPriority
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var lastID: UInt64 = 0
    }

    private let state: Guarded<State>

    /// Creates a priority that starts as given.
    public init(_ priority: WorkPriority = .normal) {
        state = Guarded(State(priority: priority))
    }

    /// The priority now.
    public var current: WorkPriority { state.withLock { $0.priority } }

    /// Sets the priority, up or down, and tells the observers when that changed it.
    public func set(_ priority: WorkPriority) {
        update { priority }
    }

    /// Sets the priority to what `read` says while no other update can come between.
    func update(_ read: () -> WorkPriority) {
        let observers = state.withLock { state -> [@Sendable () -> Void] in
            let priority = read()
            guard state.priority != priority else { return [] }
            state.priority = priority
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// Calls `body` after each change until `removeObserver`.
    ///
    /// It carries no value, because two changes may arrive in either order: the observer reads `current` under its own lock.
    func addObserver(_ body: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.observers[state.lastID] = body
            return state.lastID
        }
    }

    func removeObserver(_ id: UInt64) {
        state.withLock { $0.observers[id] = nil }
    }
}
