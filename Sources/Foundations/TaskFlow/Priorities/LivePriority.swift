/// A priority, and perhaps a deadline, that may change while work waits for it, and that tells those who queue by it.
///
/// Whoever wants the work sets it; gates and flights that were given it follow, so that an urgent caller who joins
/// late lifts everything that the work waits for.
///
/// The deadline only orders: among waiters of equal priority the earliest is next. Nothing ends when it passes; use
/// `withDeadline` for that.
public final class LivePriority: Sendable {
    typealias Observer = @Sendable () -> Void

    private struct State {
        var urgency: Urgency
        var observers: [UInt64: Observer] = [:]
        var lastID: UInt64 = 0
    }

    private let state: Guarded<State>

    /// Creates a priority that starts as given.
    ///
    /// - Parameters:
    ///   - priority: How urgent the work is.
    ///   - deadline: When the result will be of no more use; none unless given.
    public convenience init(_ priority: WorkPriority = .normal, deadline: ContinuousClock.Instant? = nil) {
        self.init(Urgency(priority, deadline: deadline))
    }

    init(_ urgency: Urgency) {
        state = Guarded(State(urgency: urgency))
    }

    /// The priority now.
    public var current: WorkPriority { urgency.priority }

    /// The deadline now; `nil` when there is none.
    public var deadline: ContinuousClock.Instant? { urgency.deadline }

    var urgency: Urgency { state.withLock { $0.urgency } }

    /// How many queues and flights follow it.
    package var observerCount: Int { state.withLock { $0.observers.count } }

    /// Sets the priority, up or down, and tells the observers when that changed it.
    public func set(_ priority: WorkPriority) {
        for observer in change({ $0.priority = priority }) { observer() }
    }

    /// Sets the deadline, earlier, later or to none, and tells the observers when that changed it.
    public func set(deadline: ContinuousClock.Instant?) {
        for observer in change({ $0.deadline = deadline }) { observer() }
    }

    /// Changes the value at once, and returns whom the caller is to tell; nobody when nothing has changed.
    ///
    /// Nothing is called here, so that it may be used under another lock, in whose order the changes then happen.
    func change(_ body: (inout Urgency) -> Void) -> [Observer] {
        state.withLock { state in
            let old = state.urgency
            body(&state.urgency)
            guard state.urgency != old else { return [] }
            return state.observers.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Calls `body` after each change until `removeObserver`.
    ///
    /// It carries no value, because two changes may arrive in either order: the observer reads `urgency` under its own lock.
    func addObserver(_ body: @escaping Observer) -> UInt64 {
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
