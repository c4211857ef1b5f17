/// Work that several callers want at the same time, done once.
///
/// The first caller for a key starts a flight; those who come while it is under way wait for the same outcome. A waiter
/// that is cancelled leaves alone, at once, with `CancellationError`. The last to leave cancels the flight. A failure
/// reaches all waiters of that flight. Whoever comes after the end or after the cancellation starts a new flight.
///
/// Flights run in the scope given to the initialiser, which awaits them. Each sees the task-local values of the caller
/// that started it.
public final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Machine = FlightMachine<Key>

    private struct Flight {
        let priority: LivePriority
        var task: ScopedTask?
        var isAbandoned = false
    }

    private struct State {
        var machine = Machine()
        var flights: [Machine.FlightID: Flight] = [:]
        var continuations: [Machine.WaiterID: CheckedContinuation<Value, any Error>] = [:]
        var lastWaiter: Machine.WaiterID = 0
    }

    private let scope: TaskScope
    private let name: String?
    private let executor: (any TaskExecutor)?
    private let state = Guarded(State())

    /// Creates a coalescer whose flights are tasks of `scope`.
    ///
    /// - Parameters:
    ///   - scope: Owns the flights.
    ///   - name: The name of their tasks.
    ///   - executor: Where they run; where the scope says when `nil`.
    public init(scope: TaskScope, name: String? = nil, executor: (any TaskExecutor)? = nil) {
        self.scope = scope
        self.name = name
        self.executor = executor
    }

    /// The number of flights whose work has not ended, cancelled ones included.
    public var flightCount: Int { state.withLock { $0.machine.flightCount } }

    /// The number of callers that wait.
    public var waiterCount: Int { state.withLock { $0.machine.waiterCount } }

    /// Waits for the value of `key`, starting `operation` unless a flight for it is under way.
    ///
    /// - Parameters:
    ///   - key: What the work is for; callers with equal keys share one flight.
    ///   - priority: How urgent it is to this caller; a flight has the highest priority of its present waiters.
    ///   - operation: Makes the value. It is cancelled when nobody waits any more.
    /// - Returns: The value that the flight made.
    /// - Throws: what the flight's operation threw; `CancellationError` when this caller is cancelled;
    ///   `TaskScopeEnded` when the scope takes no more flights.
    public func value(
        for key: Key,
        priority: WorkPriority = .normal,
        operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) async throws -> Value {
        try await value(for: key, source: .fixed(priority), operation: operation)
    }

    /// Waits for the value of `key` with a priority that may change meanwhile, such as that of a flight above.
    ///
    /// - Parameters:
    ///   - key: What the work is for; callers with equal keys share one flight.
    ///   - priority: How urgent it is to this caller; the flight follows it.
    ///   - operation: Makes the value. It is cancelled when nobody waits any more.
    /// - Returns: The value that the flight made.
    /// - Throws: what the flight's operation threw; `CancellationError` when this caller is cancelled;
    ///   `TaskScopeEnded` when the scope takes no more flights.
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
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await source.observed(by: { self.follow(source, waiter) }) {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    join(waiter, key, source, continuation, operation)
                }
            } onCancel: {
                leave(waiter)
            }
        }
    }

    private func join(
        _ waiter: Machine.WaiterID,
        _ key: Key,
        _ source: PrioritySource,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) {
        let arrival = state.withLock { state -> Machine.Arrival? in
            // Asked under the lock: a cancel before this is seen here, a later one finds the waiter in the machine.
            guard !Task.isCancelled else { return nil }
            let priority = source.current
            let arrival = state.machine.join(waiter, key: key, priority: priority)
            state.continuations[waiter] = continuation
            if case .started(let id) = arrival {
                state.flights[id] = Flight(priority: LivePriority(priority))
            }
            return arrival
        }
        switch arrival {
        case nil: continuation.resume(throwing: CancellationError())
        case .started(let id): start(id, operation)
        case .joined(let id): refreshPriority(of: id)
        }
    }

    private func start(
        _ id: Machine.FlightID,
        _ operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) {
        guard let priority = state.withLock({ $0.flights[id]?.priority }) else { return }
        do {
            let task = try scope.start(
                name: name,
                priority: priority.current.taskPriority,
                executor: executor
            ) {
                let outcome: Result<Value, any Error>
                do { outcome = .success(try await operation(FlightContext(priority: priority))) } catch {
                    outcome = .failure(error)
                }
                self.finish(id, outcome)
            }
            attach(task, to: id)
        } catch {
            finish(id, .failure(error))
        }
    }

    /// Keeps the handle; the last waiter may have left before there was one.
    private func attach(_ task: ScopedTask, to id: Machine.FlightID) {
        let isAbandoned = state.withLock { state in
            state.flights[id]?.task = task
            return state.flights[id]?.isAbandoned ?? false
        }
        if isAbandoned { task.cancel() }
    }

    private func leave(_ waiter: Machine.WaiterID) {
        let (departure, continuation, task) = state.withLock { state in
            let departure = state.machine.leave(waiter)
            var task: ScopedTask?
            if case .abandoned(let id) = departure {
                state.flights[id]?.isAbandoned = true
                task = state.flights[id]?.task
            }
            return (departure, state.continuations.removeValue(forKey: waiter), task)
        }
        continuation?.resume(throwing: CancellationError())
        task?.cancel()
        if case .left(let id) = departure { refreshPriority(of: id) }
    }

    private func follow(_ source: PrioritySource, _ waiter: Machine.WaiterID) {
        let id = state.withLock { $0.machine.reprioritise(waiter, to: source.current) }
        if let id { refreshPriority(of: id) }
    }

    /// Tells the flight, and all it waits for, the highest priority among its waiters.
    private func refreshPriority(of id: Machine.FlightID) {
        guard let flight = state.withLock({ $0.flights[id] }) else { return }
        flight.priority.update { [state] in
            state.withLock { $0.machine.priority(of: id) } ?? .normal
        }
        flight.task?.escalate(to: flight.priority.current.taskPriority)
    }

    private func finish(_ id: Machine.FlightID, _ outcome: Result<Value, any Error>) {
        let continuations = state.withLock { state in
            state.flights[id] = nil
            return state.machine.finish(id).compactMap { state.continuations.removeValue(forKey: $0) }
        }
        for continuation in continuations { continuation.resume(with: outcome) }
    }
}
