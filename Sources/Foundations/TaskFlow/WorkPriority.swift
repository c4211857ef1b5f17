/// How urgent a piece of work is compared with other work that waits for the same permits.
public enum WorkPriority: Int, CaseIterable, Comparable, Sendable {
    case veryLow, low, normal, high, veryHigh

    /// Orders priorities from least to most urgent.
    public static func < (lhs: WorkPriority, rhs: WorkPriority) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// The urgency of the work of a task with `priority`.
    public init(_ priority: TaskPriority) {
        switch priority {
        case .high: self = .high
        case .utility: self = .low
        case .background: self = .veryLow
        // Also outside of tasks.
        default: self = .normal
        }
    }

    /// The urgency of the current task; ``normal`` outside of tasks.
    public static var ofCurrentTask: WorkPriority {
        // In a child task on Linux, the current priority can be below the one it was created with.
        WorkPriority(max(Task.currentPriority, Task.basePriority ?? Task.currentPriority))
    }

    /// The priority of a Swift task that does work of this urgency.
    public var taskPriority: TaskPriority {
        switch self {
        case .veryLow: .background
        case .low: .utility
        case .normal: .medium
        case .high, .veryHigh: .high
        }
    }
}

/// The urgency of a piece of work: its priority first, then the earlier deadline.
///
/// No deadline is the least urgent.
struct Urgency: Hashable, Sendable {
    var priority: WorkPriority
    /// When its result is no longer of use; `nil` if it always is.
    var deadline: ContinuousClock.Instant?

    init(_ priority: WorkPriority = .normal, deadline: ContinuousClock.Instant? = nil) {
        self.priority = priority
        self.deadline = deadline
    }
}

extension Urgency: Comparable {
    /// Orders from least to most urgent.
    static func < (lhs: Urgency, rhs: Urgency) -> Bool {
        guard lhs.priority == rhs.priority else { return lhs.priority < rhs.priority }
        guard let deadline = rhs.deadline else { return false }
        return lhs.deadline.map { $0 > deadline } ?? true
    }
}

/// A priority, and perhaps a deadline, that may change while work waits.
///
/// It notifies the queues that order by it. The code that wants the work sets it; the gates and flights that
/// received it follow, so that an urgent caller that joins late lifts everything that the work waits for.
/// The deadline only orders: among waiters of equal priority the earliest is next. Nothing ends when it
/// passes; use `withDeadline` for that.
public final class LivePriority: Sendable {
    typealias Observer = @Sendable () -> Void

    private struct State {
        var urgency: Urgency
        var observers: [UInt64: Observer] = [:]
        var lastID: UInt64 = 0
    }

    private let state: Guarded<State>

    /// Creates a priority with an initial value.
    ///
    /// - Parameters:
    ///   - priority: How urgent the work is.
    ///   - deadline: When the result will be of no more use; none by default.
    public convenience init(_ priority: WorkPriority = .normal, deadline: ContinuousClock.Instant? = nil) {
        self.init(Urgency(priority, deadline: deadline))
    }

    init(_ urgency: Urgency) {
        state = Guarded(State(urgency: urgency))
    }

    /// The current priority.
    public var current: WorkPriority { urgency.priority }

    /// The current deadline; `nil` if there is none.
    public var deadline: ContinuousClock.Instant? { urgency.deadline }

    var urgency: Urgency { state.withLock { $0.urgency } }

    /// The number of queues and flights that observe it.
    package var observerCount: Int { state.withLock { $0.observers.count } }

    /// Sets the priority, up or down, and notifies the observers if that changed it.
    public func set(_ priority: WorkPriority) {
        for observer in change({ $0.priority = priority }) { observer() }
    }

    /// Sets the deadline, earlier, later or to none, and notifies the observers if that changed it.
    public func set(deadline: ContinuousClock.Instant?) {
        for observer in change({ $0.deadline = deadline }) { observer() }
    }

    /// Changes the value, and returns the observers that the caller must notify; none if nothing changed.
    ///
    /// Calls nothing, so that it can be used under another lock, in whose order the changes then happen.
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
    /// It passes no value, because two changes may arrive in either order: the observer reads `urgency` under
    /// its own lock.
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

/// Where a waiter's priority and deadline come from.
enum PrioritySource: Sendable {
    case fixed(WorkPriority)
    case live(LivePriority)

    var urgency: Urgency {
        switch self {
        case .fixed(let priority): Urgency(priority)
        case .live(let live): live.urgency
        }
    }

    /// Calls `body` on each change while `work` runs.
    func observed<Output>(
        by body: @escaping @Sendable () -> Void,
        during work: () async throws -> Output
    ) async throws -> Output {
        guard case .live(let live) = self else { return try await work() }
        let id = live.addObserver(body)
        defer { live.removeObserver(id) }
        return try await work()
    }
}
