/// What a coalescer keeps under its lock: the flight machine and what its flights and waiters stand for.
///
/// Methods decide; what they return is done by the caller when it has left the lock.
struct CoalescerState<Key: Hashable & Sendable, Value: Sendable> {
    typealias Machine = FlightMachine<Key>
    typealias Continuation = CheckedContinuation<Value, any Error>

    enum Arrival {
        case started(Machine.FlightID, LivePriority)
        /// The context is that of the caller that started the flight.
        case joined(UrgencyNotice?, TaskTrace.Context?)
    }

    struct Departure {
        /// Nil when the caller did not wait any more.
        var continuation: Continuation?
        /// The work to cancel, because this was the last to wait for it.
        var abandoned: ScopedTask?
        var notice: UrgencyNotice?
    }

    private struct Flight {
        let priority: LivePriority
        let trace: TaskTrace.Context?
        var task: ScopedTask?
        var isAbandoned = false
    }

    private(set) var machine = Machine()
    private var flights: [Machine.FlightID: Flight] = [:]
    private var continuations: [Machine.WaiterID: Continuation] = [:]
    private var lastWaiter: Machine.WaiterID = 0

    mutating func makeWaiter() -> Machine.WaiterID {
        lastWaiter += 1
        return lastWaiter
    }

    mutating func join(
        _ waiter: Machine.WaiterID,
        _ key: Key,
        _ urgency: Urgency,
        _ trace: TaskTrace.Context?,
        _ continuation: Continuation
    ) -> Arrival {
        continuations[waiter] = continuation
        switch machine.join(waiter, key: key, urgency: urgency) {
        case .started(let id):
            let priority = LivePriority(urgency)
            flights[id] = Flight(priority: priority, trace: trace)
            return .started(id, priority)
        case .joined(let id):
            return .joined(refresh(id), flights[id]?.trace)
        }
    }

    mutating func leave(_ waiter: Machine.WaiterID) -> Departure {
        var departure = Departure(continuation: continuations.removeValue(forKey: waiter))
        switch machine.leave(waiter) {
        case .unknown: break
        case .left(let id): departure.notice = refresh(id)
        case .abandoned(let id):
            flights[id]?.isAbandoned = true
            departure.abandoned = flights[id]?.task
        }
        return departure
    }

    mutating func reprioritise(_ waiter: Machine.WaiterID, to urgency: Urgency) -> UrgencyNotice? {
        machine.reprioritise(waiter, to: urgency).flatMap { refresh($0) }
    }

    /// Keeps the handle of a flight's work; true when it is to be cancelled, because all left before there was one.
    mutating func attach(_ task: ScopedTask, to id: Machine.FlightID) -> Bool {
        flights[id]?.task = task
        return flights[id]?.isAbandoned ?? false
    }

    /// Forgets a flight, and returns those who wait for its outcome.
    mutating func finish(_ id: Machine.FlightID) -> [Continuation] {
        flights[id] = nil
        return machine.finish(id).compactMap { continuations.removeValue(forKey: $0) }
    }

    /// Gives the flight the urgency of its present waiters; nil when it had that already.
    private func refresh(_ id: Machine.FlightID) -> UrgencyNotice? {
        guard let flight = flights[id], let urgency = machine.urgency(of: id) else { return nil }
        guard flight.priority.urgency != urgency else { return nil }
        let observers = flight.priority.change { $0 = urgency }
        return UrgencyNotice(observers: observers, task: flight.task, priority: urgency.priority)
    }
}
