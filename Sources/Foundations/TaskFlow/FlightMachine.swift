/// The flights and their waiters: the rules of the coalescer, without locks or tasks.
///
/// A key has at most one open flight, which new waiters join. A flight is closed when its last waiter leaves,
/// and is then only counted until its work has ended; the key is free immediately. So every waiter of a key
/// waits for its open flight.
struct FlightMachine<Key: Hashable> {
    typealias FlightID = OpenFlight.ID
    typealias WaiterID = OpenFlight.WaiterID

    private var open: [Key: OpenFlight] = [:]
    private var abandonedCount = 0
    private var lastFlight: FlightID = 0
    private(set) var waiterCount = 0

    /// The flights whose work has not ended, abandoned ones included.
    var flightCount: Int { open.count + abandonedCount }
    /// The number of keys whose flight a new waiter would join.
    var openKeyCount: Int { open.count }

    /// Whether a new waiter for the key would join a flight.
    func hasOpenFlight(for key: Key) -> Bool {
        open[key] != nil
    }

    /// The highest priority and the earliest deadline of the key's waiters; nil if it has none.
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

    /// Changes the urgency of a waiter and returns its flight; nil if it does not wait.
    mutating func reprioritise(_ waiter: WaiterID, key: Key, to urgency: Urgency) -> FlightID? {
        open[key]?.reprioritise(waiter, to: urgency)
    }

    /// Removes a flight whose work has ended, and returns its waiters, the oldest first.
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

/// A flight that new waiters join: its waiters, and their combined urgency.
///
/// Operations take logarithmic time. Not nested in the machine, because looking up a generic type costs time.
struct OpenFlight {
    typealias ID = UInt64
    typealias WaiterID = UInt64

    enum Arrival: Equatable {
        /// The waiter is the first: start the work.
        case started(ID)
        case joined(ID)
    }

    enum Departure: Equatable {
        /// The waiter does not wait: it left before, or its flight has ended.
        case unknown
        case left(ID)
        /// The last waiter has left: cancel the work.
        case abandoned(ID)
    }

    private struct Deadline: HeapEntry {
        let id: WaiterID
        let deadline: ContinuousClock.Instant

        func precedes(_ other: Deadline) -> Bool {
            deadline == other.deadline ? id < other.id : deadline < other.deadline
        }
    }

    let id: ID
    /// The highest priority and the earliest deadline among the waiters.
    private(set) var urgency: Urgency
    private var waiters: [WaiterID: Urgency]
    /// The number of waiters of each priority, which gives the highest without a search.
    private var census = [5 of Int](repeating: 0)
    /// The deadlines of the waiters that have one.
    private var deadlines = PriorityHeap<Deadline>()

    /// Opens a flight for its first waiter.
    init(_ id: ID, _ waiter: WaiterID, _ urgency: Urgency) {
        self.id = id
        self.urgency = urgency
        waiters = [waiter: urgency]
        count(waiter, urgency)
    }

    /// All waiters, the oldest first.
    var waiterIDs: [WaiterID] { waiters.keys.sorted() }

    mutating func join(_ waiter: WaiterID, _ urgency: Urgency) -> Arrival {
        waiters[waiter] = urgency
        count(waiter, urgency)
        refresh()
        return .joined(id)
    }

    mutating func leave(_ waiter: WaiterID) -> Departure {
        guard let urgency = waiters.removeValue(forKey: waiter) else { return .unknown }
        discount(waiter, urgency)
        if waiters.isEmpty { return .abandoned(id) }
        refresh()
        return .left(id)
    }

    /// Changes the urgency of a waiter and returns the flight; nil if it does not wait.
    mutating func reprioritise(_ waiter: WaiterID, to urgency: Urgency) -> ID? {
        guard let old = waiters[waiter] else { return nil }
        waiters[waiter] = urgency
        discount(waiter, old)
        count(waiter, urgency)
        refresh()
        return id
    }

    private mutating func count(_ waiter: WaiterID, _ urgency: Urgency) {
        census[urgency.priority.rawValue] += 1
        if let deadline = urgency.deadline { deadlines.insert(Deadline(id: waiter, deadline: deadline)) }
    }

    private mutating func discount(_ waiter: WaiterID, _ urgency: Urgency) {
        census[urgency.priority.rawValue] -= 1
        if urgency.deadline != nil { deadlines.remove(waiter) }
    }

    private mutating func refresh() {
        let highest = census.indices.last { census[$0] > 0 }.flatMap(WorkPriority.init(rawValue:))
        urgency = Urgency(highest ?? urgency.priority, deadline: deadlines.first?.deadline)
    }
}
