/// The permits and waiters of an admission gate: the rules, without locks or tasks.
///
/// The order is strict: the most urgent waiter is next, then the oldest, and nothing as urgent or less passes
/// while it waits, even if it would fit. Low-priority work leaves the reserved capacity free. An item heavier
/// than its share passes when the gate is empty. Every change returns the tickets that it admitted.
/// Operations take logarithmic time.
struct AdmissionQueue {
    private struct Waiter: HeapEntry {
        /// The ticket.
        let id: UInt64
        let weight: Int
        /// Whether it takes the weight when it is admitted; otherwise it only waits for the room.
        let takes: Bool
        var urgency: Urgency

        func precedes(_ other: Waiter) -> Bool {
            urgency == other.urgency ? id < other.id : urgency > other.urgency
        }
    }

    private(set) var capacity: Int
    private(set) var used = 0
    private let keptBack: Int
    private let threshold: WorkPriority
    private var waiting = PriorityHeap<Waiter>()

    /// Creates an empty queue in which work below `threshold` leaves `keptBack` of the capacity free.
    init(capacity: Int, keptBack: Int = 0, from threshold: WorkPriority = .normal) {
        self.capacity = max(capacity, 1)
        self.keptBack = max(keptBack, 0)
        self.threshold = threshold
    }

    var waitingCount: Int { waiting.count }

    /// Takes the weight now if the rules permit, or only checks for room; false changes nothing.
    mutating func tryAdmit(weight: Int, urgency: Urgency, takes: Bool = true) -> Bool {
        guard passesWaiters(urgency), fits(weight, urgency) else { return false }
        if takes { used += weight }
        return true
    }

    /// Queues a ticket that could not be admitted; tickets are numbered by arrival.
    mutating func wait(_ ticket: UInt64, weight: Int, urgency: Urgency, takes: Bool = true) -> [UInt64] {
        waiting.insert(Waiter(id: ticket, weight: weight, takes: takes, urgency: urgency))
        return admitWaiters()
    }

    /// Takes a ticket out of the queue, which may admit others; nil if it does not wait.
    mutating func cancel(_ ticket: UInt64) -> [UInt64]? {
        guard waiting.remove(ticket) != nil else { return nil }
        return admitWaiters()
    }

    /// Moves a waiting ticket to another urgency, where it queues by its age.
    mutating func reprioritise(_ ticket: UInt64, to urgency: Urgency) -> [UInt64] {
        guard waiting.update(ticket, { $0.urgency = urgency }) else { return [] }
        return admitWaiters()
    }

    mutating func release(weight: Int) -> [UInt64] {
        used -= weight
        return admitWaiters()
    }

    /// Gives a holder more if no equally or more urgent work waits and there is room.
    ///
    /// A holder that is alone in the gate may grow beyond its capacity, just as a single heavy item may
    /// enter.
    mutating func tryGrow(from weight: Int, to target: Int, urgency: Urgency) -> Bool {
        let isAlone = used == weight
        guard passesWaiters(urgency), isAlone || target - weight <= room(for: urgency) else { return false }
        used += target - weight
        return true
    }

    mutating func resize(to capacity: Int) -> [UInt64] {
        self.capacity = max(capacity, 1)
        return admitWaiters()
    }

    private func passesWaiters(_ urgency: Urgency) -> Bool {
        waiting.first.map { $0.urgency < urgency } ?? true
    }

    private func fits(_ weight: Int, _ urgency: Urgency) -> Bool {
        used == 0 || weight <= room(for: urgency)
    }

    /// The weight that work of this urgency may take now; negative if more than its share is in use.
    ///
    /// Computed by subtraction, because a weight may be as large as an `Int` can be.
    private func room(for urgency: Urgency) -> Int {
        let share = urgency.priority < threshold ? capacity - min(keptBack, capacity) : capacity
        return share - used
    }

    private mutating func admitWaiters() -> [UInt64] {
        var admitted: [UInt64] = []
        while let head = waiting.first, fits(head.weight, head.urgency) {
            waiting.remove(head.id)
            if head.takes { used += head.weight }
            admitted.append(head.id)
        }
        return admitted
    }
}
