/// Which flights there are and who waits for which: the rules of the coalescer, without locks or tasks.
///
/// A key has at most one open flight, which new waiters join. A flight is closed when its last waiter leaves, and is
/// then only counted until its work has ended; the key is free at once. So whoever waits for a key waits for its open
/// flight.
struct FlightMachine<Key: Hashable> {
    typealias FlightID = OpenFlight.ID
    typealias WaiterID = OpenFlight.WaiterID

    private var open: [Key: OpenFlight] = [:]
    private var abandonedCount = 0
    private var lastFlight: FlightID = 0
    private(set) var waiterCount = 0

    /// The flights whose work has not ended, abandoned ones included.
    var flightCount: Int { open.count + abandonedCount }
    /// The keys that a new waiter would join.
    var openKeyCount: Int { open.count }

    /// Whether a new waiter for the key would join a flight.
    func hasOpenFlight(for key: Key) -> Bool {
        open[key] != nil
    }

    /// The highest priority and the earliest deadline among those who wait for the key; nil when nobody does.
    func urgency(for key: Key) -> Urgency? {
        open[key]?.urgency
    }

    mutating func join(_ waiter: WaiterID, key: Key, urgency: Urgency) -> OpenFlight.Arrival {
        waiterCount += 1
        if let joined = open[key]?.join(waiter, urgency) { return joined }
        lastFlight += 1
        open[key] = OpenFlight(lastFlight, waiter, urgency)
        return .started(lastFlight)
    }

    mutating func leave(_ waiter: WaiterID, key: Key) -> OpenFlight.Departure {
        let departure = open[key]?.leave(waiter) ?? .unknown
        switch departure {
        case .unknown: break
        case .left: waiterCount -= 1
        case .abandoned:
            waiterCount -= 1
            abandonedCount += 1
            open[key] = nil
        }
        return departure
    }

    /// Changes how urgent it is to a waiter and names its flight; nil when it does not wait.
    mutating func reprioritise(_ waiter: WaiterID, key: Key, to urgency: Urgency) -> FlightID? {
        open[key]?.reprioritise(waiter, to: urgency)
    }

    /// Removes a flight whose work has ended, and returns who waits for the outcome, the oldest first.
    ///
    /// Each flight ends once. A newer one of its key is left alone.
    mutating func finish(_ id: FlightID, key: Key) -> [WaiterID] {
        guard let flight = open[key], flight.id == id else {
            abandonedCount -= 1
            return []
        }
        open[key] = nil
        let waiters = flight.waiterIDs
        waiterCount -= waiters.count
        return waiters
    }
}
