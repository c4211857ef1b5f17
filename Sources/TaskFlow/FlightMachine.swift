/// Which flights there are and who waits for which: the rules of the coalescer, without locks or tasks.
///
/// A key has at most one open flight, which new waiters join. A flight is closed when its last waiter leaves, and is
/// then only counted until its work has ended; the key is free at once.
struct FlightMachine<Key: Hashable> {
    typealias FlightID = UInt64
    typealias WaiterID = UInt64

    enum Arrival: Equatable {
        /// The waiter is the first: start the work.
        case started(FlightID)
        case joined(FlightID)
    }

    enum Departure: Equatable {
        /// It does not wait, because it left before or because its flight has ended.
        case unknown
        case left(FlightID)
        /// Nobody waits for the flight any more: cancel the work.
        case abandoned(FlightID)
    }

    private struct Flight {
        let key: Key
        var waiters = FlightWaiters()
    }

    private var flights: [FlightID: Flight] = [:]
    private var open: [Key: FlightID] = [:]
    private var waiters: [WaiterID: FlightID] = [:]
    private var lastFlight: FlightID = 0

    /// The flights whose work has not ended, abandoned ones included.
    var flightCount: Int { flights.count }
    var waiterCount: Int { waiters.count }
    /// The keys that a new waiter would join.
    var openKeyCount: Int { open.count }

    mutating func join(_ waiter: WaiterID, key: Key, urgency: Urgency) -> Arrival {
        let joined = open[key]
        let id = joined ?? openFlight(key)
        waiters[waiter] = id
        flights[id]?.waiters.set(waiter, urgency)
        return joined == nil ? .started(id) : .joined(id)
    }

    mutating func leave(_ waiter: WaiterID) -> Departure {
        guard let id = waiters.removeValue(forKey: waiter) else { return .unknown }
        flights[id]?.waiters.remove(waiter)
        guard let flight = flights[id], flight.waiters.isEmpty else { return .left(id) }
        close(id, flight.key)
        return .abandoned(id)
    }

    /// Changes how urgent it is to a waiter and names its flight; nil when it does not wait.
    mutating func reprioritise(_ waiter: WaiterID, to urgency: Urgency) -> FlightID? {
        guard let id = waiters[waiter] else { return nil }
        flights[id]?.waiters.set(waiter, urgency)
        return id
    }

    /// Whether a new waiter for the key would join a flight.
    func hasOpenFlight(for key: Key) -> Bool {
        open[key] != nil
    }

    /// The highest priority and the earliest deadline among the flight's waiters, those of the last when none is left;
    /// nil when it has ended.
    func urgency(of flight: FlightID) -> Urgency? {
        flights[flight]?.waiters.urgency
    }

    /// Removes a flight whose work has ended, never a newer one of its key, and returns who waits for the outcome, the
    /// oldest first.
    mutating func finish(_ id: FlightID) -> [WaiterID] {
        guard let flight = flights.removeValue(forKey: id) else { return [] }
        close(id, flight.key)
        let ids = flight.waiters.ids
        for waiter in ids { waiters[waiter] = nil }
        return ids
    }

    private mutating func openFlight(_ key: Key) -> FlightID {
        lastFlight += 1
        flights[lastFlight] = Flight(key: key)
        open[key] = lastFlight
        return lastFlight
    }

    private mutating func close(_ id: FlightID, _ key: Key) {
        if open[key] == id { open[key] = nil }
    }
}
