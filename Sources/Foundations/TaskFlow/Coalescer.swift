internal import Synchronization

/// Runs work once for all callers that want it at the same time.
///
/// The first caller for a key starts a flight; callers that arrive while it is in progress wait for the same
/// outcome. A waiter that is cancelled leaves alone and immediately, with `CancellationError`. The last
/// waiter to leave cancels the flight. A failure reaches all waiters of that flight. A caller that arrives
/// after the flight has ended or was cancelled starts a new one.
///
/// Flights run in the scope given to the initialiser, which awaits them. Each flight sees the task-local
/// values of the caller that started it. In a task trace, the wait of another caller names the lane of that
/// first caller.
public final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let scope: TaskScope
    private let name: String?
    private let executor: (any TaskExecutor)?
    private let state = Guarded(CoalescerState<Key, Value>())
    private let lastWaiter = Atomic<OpenFlight.WaiterID>(0)

    /// Creates a coalescer whose flights are tasks of `scope`.
    ///
    /// - Parameters:
    ///   - scope: Owns the flights.
    ///   - name: The name of their tasks.
    ///   - executor: Where they run; the executor of the scope when `nil`.
    public init(scope: TaskScope, name: String? = nil, executor: (any TaskExecutor)? = nil) {
        self.scope = scope
        self.name = name
        self.executor = executor
    }

    /// The number of flights whose work has not ended, cancelled ones included.
    public var flightCount: Int { state.withLock { $0.machine.flightCount } }

    /// The number of waiting callers.
    public var waiterCount: Int { state.withLock { $0.machine.waiterCount } }

    /// Whether a flight for `key` is in progress that a caller would join now.
    public func hasFlight(for key: Key) -> Bool {
        state.withLock { $0.machine.hasOpenFlight(for: key) }
    }

    /// Waits for the value of `key`, starting `operation` unless a flight for it is in progress.
    ///
    /// - Parameters:
    ///   - key: Identifies the work; callers with equal keys share one flight.
    ///   - priority: The caller's priority. A flight has the highest priority of its present waiters.
    ///   - operation: Computes the value. It is cancelled when its last waiter leaves.
    /// - Returns: The flight's value.
    /// - Throws: What the flight's operation threw; `CancellationError` when this caller is cancelled;
    ///   `scope_ended` when the scope takes no more flights.
    public func value(
        for key: Key,
        priority: WorkPriority = .normal,
        operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) async throws -> Value {
        try await value(for: key, source: .fixed(priority), operation: operation)
    }

    /// Waits for the value of `key` with a priority and deadline that may change.
    ///
    /// They may be those of a flight above.
    ///
    /// - Parameters:
    ///   - key: Identifies the work; callers with equal keys share one flight.
    ///   - priority: The caller's priority. A flight has the highest priority and the earliest deadline of
    ///     its present waiters; a deadline that passes ends nothing.
    ///   - operation: Computes the value. It is cancelled when its last waiter leaves.
    /// - Returns: The flight's value.
    /// - Throws: What the flight's operation threw; `CancellationError` when this caller is cancelled;
    ///   `scope_ended` when the scope takes no more flights.
    public func value(
        for key: Key,
        priority: LivePriority,
        operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) async throws -> Value {
        try await value(for: key, source: .live(priority), operation: operation)
    }

    private func value(
        for key: Key,
        source: PrioritySource,
        operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let waiter = lastWaiter.add(1, ordering: .relaxed).newValue
        var link: TraceLink?
        defer { link?.end() }
        return try await source.observed(by: { self.follow(source, waiter, key) }) {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    link = join(waiter, key, source, continuation, operation)
                }
            } onCancel: {
                leave(waiter, key)
            }
        }
    }

    /// Joins the flight or starts one.
    ///
    /// While a trace is recorded, the link leads to the other caller's flight.
    private func join(
        _ waiter: OpenFlight.WaiterID,
        _ key: Key,
        _ source: PrioritySource,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) -> TraceLink? {
        let trace = TaskTrace.context
        let arrival = state.withLock { state -> FlightArrival in
            // Checked under the lock: a cancel before this is seen here, a later one finds the waiter in the
            // machine. A change of urgency before this is read here, a later one is observed.
            guard !Task.isCancelled else { return .cancelled }
            return state.join(waiter, key, source.urgency, trace, continuation)
        }
        switch arrival {
        case .cancelled: continuation.resume(throwing: CancellationError())
        case .started(let work): start(work, key, operation)
        case .joined(let starter, let notice):
            notice?.send()
            return trace.map { TraceLink(name ?? "flight", from: $0, to: starter) }
        }
        return nil
    }

    private func start(
        _ work: FlightWork,
        _ key: Key,
        _ operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) {
        let priority = work.priority.current
        do {
            let task = try scope.start(name: name, priority: priority.taskPriority, executor: executor) {
                let outcome: Result<Value, any Error>
                do { outcome = .success(try await operation(FlightContext(priority: work.priority))) } catch {
                    outcome = .failure(error)
                }
                self.finish(work.id, key, outcome)
            }
            work.attach(task, startedAt: priority)
        } catch {
            finish(work.id, key, .failure(error))
        }
    }

    private func leave(_ waiter: OpenFlight.WaiterID, _ key: Key) {
        let (continuation, departure) = state.withLock { $0.leave(waiter, key) }
        continuation?.resume(throwing: CancellationError())
        departure.act()
    }

    private func follow(_ source: PrioritySource, _ waiter: OpenFlight.WaiterID, _ key: Key) {
        let notice = state.withLock { $0.reprioritise(waiter, key, to: source.urgency) }
        notice?.send()
    }

    private func finish(_ id: OpenFlight.ID, _ key: Key, _ outcome: Result<Value, any Error>) {
        for continuation in state.withLock({ $0.finish(id, key) }) { continuation.resume(with: outcome) }
    }
}

/// The context of a flight's operation: what it knows about its waiters.
public struct FlightContext: Sendable {
    /// The highest priority and the earliest deadline of the present waiters.
    ///
    /// Give it to the gates and coalescers that the work waits for.
    public let priority: LivePriority
}

/// The state that a coalescer guards.
///
/// It contains the flight machine, and the works and continuations behind its identifiers. Methods decide;
/// the caller acts on what they return after it has left the lock.
struct CoalescerState<Key: Hashable & Sendable, Value: Sendable> {
    typealias Continuation = CheckedContinuation<Value, any Error>

    private(set) var machine = FlightMachine<Key>()
    private var works: [OpenFlight.ID: FlightWork] = [:]
    private var continuations: [OpenFlight.WaiterID: Continuation] = [:]

    mutating func join(
        _ waiter: OpenFlight.WaiterID,
        _ key: Key,
        _ urgency: Urgency,
        _ trace: TaskTrace.Context?,
        _ continuation: Continuation
    ) -> FlightArrival {
        continuations[waiter] = continuation
        switch machine.join(waiter, key: key, urgency: urgency) {
        case .started(let id):
            let work = FlightWork(id, urgency, trace)
            works[id] = work
            return .started(work)
        case .joined(let id):
            return .joined(works[id]?.trace, refresh(id, key))
        }
    }

    /// Removes a waiter; the continuation is nil if it no longer waited.
    mutating func leave(_ waiter: OpenFlight.WaiterID, _ key: Key) -> (Continuation?, FlightDeparture) {
        let continuation = continuations.removeValue(forKey: waiter)
        switch machine.leave(waiter, key: key) {
        case .unknown: return (continuation, .unknown)
        case .left(let id): return (continuation, .left(refresh(id, key)))
        case .abandoned(let id): return (continuation, .abandoned(works[id]))
        }
    }

    mutating func reprioritise(
        _ waiter: OpenFlight.WaiterID,
        _ key: Key,
        to urgency: Urgency
    ) -> UrgencyNotice? {
        machine.reprioritise(waiter, key: key, to: urgency).flatMap { refresh($0, key) }
    }

    /// Forgets a flight, and returns the continuations of its waiters.
    mutating func finish(_ id: OpenFlight.ID, _ key: Key) -> [Continuation] {
        works[id] = nil
        return machine.finish(id, key: key).compactMap { continuations.removeValue(forKey: $0) }
    }

    /// Gives the flight the urgency of its present waiters; nil if nothing changed.
    private func refresh(_ id: OpenFlight.ID, _ key: Key) -> UrgencyNotice? {
        guard let work = works[id], let urgency = machine.urgency(for: key) else { return nil }
        return work.become(urgency)
    }
}

/// What a caller must do after it arrived at a coalescer.
///
/// Not nested in the coalescer's state, because looking up a generic type costs time under the lock.
enum FlightArrival: Sendable {
    /// The caller was cancelled before: nothing has changed.
    case cancelled
    /// The caller is the first: start the work.
    case started(FlightWork)
    /// The caller waits for work that another started, in the context given here.
    case joined(TaskTrace.Context?, UrgencyNotice?)
}

/// What a caller must do after it left a coalescer.
enum FlightDeparture: Sendable {
    /// The caller no longer waited.
    case unknown
    case left(UrgencyNotice?)
    /// The caller was the last waiter: cancel the work.
    case abandoned(FlightWork?)

    func act() {
        switch self {
        case .unknown: break
        case .left(let notice): notice?.send()
        case .abandoned(let work): work?.abandon()
        }
    }
}

/// The work of one flight: what it knows about its waiters, and the task to cancel when the last one leaves.
final class FlightWork: Sendable {
    private struct Handle {
        var task: ScopedTask?
        var isAbandoned = false
    }

    let id: OpenFlight.ID
    /// The highest priority and the earliest deadline of the waiters.
    let priority: LivePriority
    /// The trace context of the caller that started the flight.
    let trace: TaskTrace.Context?
    private let handle = Guarded(Handle())

    init(_ id: OpenFlight.ID, _ urgency: Urgency, _ trace: TaskTrace.Context?) {
        self.id = id
        priority = LivePriority(urgency)
        self.trace = trace
    }

    /// Stores the task's handle; the task was started with the priority `start`.
    ///
    /// Cancels or escalates the task now if the flight was cancelled or became more urgent before it had a
    /// handle.
    func attach(_ task: ScopedTask, startedAt start: WorkPriority) {
        let isAbandoned = handle.withLock { handle in
            handle.task = task
            return handle.isAbandoned
        }
        if isAbandoned { task.cancel() }
        if priority.current > start { task.escalate(to: priority.current.taskPriority) }
    }

    /// Takes the urgency of the present waiters, and returns the observers to notify; nil if nothing changed.
    func become(_ urgency: Urgency) -> UrgencyNotice? {
        guard priority.urgency != urgency else { return nil }
        return UrgencyNotice(work: self, observers: priority.change { $0 = urgency })
    }

    /// Cancels the task.
    func abandon() {
        let task = handle.withLock { handle in
            handle.isAbandoned = true
            return handle.task
        }
        task?.cancel()
    }

    /// Raises the task to the priority of the waiters, if that is higher.
    func escalate() {
        let task = handle.withLock { $0.task }
        task?.escalate(to: priority.current.taskPriority)
    }
}

/// The observers to notify, outside the lock, that a flight has become more or less urgent.
struct UrgencyNotice: Sendable {
    let work: FlightWork
    let observers: [LivePriority.Observer]

    func send() {
        for observer in observers { observer() }
        work.escalate()
    }
}
