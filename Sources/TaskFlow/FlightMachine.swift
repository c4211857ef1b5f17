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
        var waiters: Set<WaiterID> = []
        /// How many waiters there are of each priority, so that the highest is found without asking all.
        var census = [Int](repeating: 0, count: WorkPriority.allCases.count)
        /// The highest when the last waiter left; a closed flight keeps it.
        var priority = WorkPriority.normal

        mutating func count(_ change: Int, of priority: WorkPriority) {
            census[priority.rawValue] += change
            if let highest = census.lastIndex(where: { $0 > 0 }).flatMap(WorkPriority.init(rawValue:)) {
                self.priority = highest
            }
        }
    }

    private struct Waiter {
        let flight: FlightID
        var priority: WorkPriority
    }

    private var flights: [FlightID: Flight] = [:]
    private var open: [Key: FlightID] = [:]
    private var waiters: [WaiterID: Waiter] = [:]
    private var lastFlight: FlightID = 0

    /// The flights whose work has not ended, abandoned ones included.
    var flightCount: Int { flights.count }
    var waiterCount: Int { waiters.count }
    /// The keys that a new waiter would join.
    var openKeyCount: Int { open.count }

    mutating func join(_ waiter: WaiterID, key: Key, priority: WorkPriority) -> Arrival {
        let joined = open[key]
        let id = joined ?? openFlight(key)
        waiters[waiter] = Waiter(flight: id, priority: priority)
        flights[id]?.waiters.insert(waiter)
        flights[id]?.count(1, of: priority)
        return joined == nil ? .started(id) : .joined(id)
    }

    mutating func leave(_ waiter: WaiterID) -> Departure {
        guard let left = waiters.removeValue(forKey: waiter) else { return .unknown }
        flights[left.flight]?.waiters.remove(waiter)
        flights[left.flight]?.count(-1, of: left.priority)
        guard let flight = flights[left.flight], flight.waiters.isEmpty else { return .left(left.flight) }
        close(left.flight, flight.key)
        return .abandoned(left.flight)
    }

    /// Changes a waiter's priority and names its flight; nil when it does not wait.
    mutating func reprioritise(_ waiter: WaiterID, to priority: WorkPriority) -> FlightID? {
        guard let current = waiters[waiter] else { return nil }
        waiters[waiter]?.priority = priority
        flights[current.flight]?.count(1, of: priority)
        flights[current.flight]?.count(-1, of: current.priority)
        return current.flight
    }

    /// The highest priority among the flight's waiters; nil when it has ended.
    func priority(of flight: FlightID) -> WorkPriority? {
        flights[flight]?.priority
    }

    /// Removes a flight whose work has ended, never a newer one of its key, and returns who waits for the outcome.
    mutating func finish(_ id: FlightID) -> Set<WaiterID> {
        guard let flight = flights.removeValue(forKey: id) else { return [] }
        close(id, flight.key)
        for waiter in flight.waiters { waiters[waiter] = nil }
        return flight.waiters
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
