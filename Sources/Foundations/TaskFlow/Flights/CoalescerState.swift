/// What a coalescer keeps under its lock: the flight machine and what its flights and waiters stand for.
///
/// Methods decide; what they return is done by the caller when it has left the lock.
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

    /// The continuation is nil when the waiter did not wait any more.
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

    /// Forgets a flight, and returns those who wait for its outcome.
    mutating func finish(_ id: OpenFlight.ID, _ key: Key) -> [Continuation] {
        works[id] = nil
        return machine.finish(id, key: key).compactMap { continuations.removeValue(forKey: $0) }
    }

    /// Gives the flight the urgency of its present waiters; nil when it had that already.
    private func refresh(_ id: OpenFlight.ID, _ key: Key) -> UrgencyNotice? {
        guard let work = works[id], let urgency = machine.urgency(for: key) else { return nil }
        return work.become(urgency)
    }
}
