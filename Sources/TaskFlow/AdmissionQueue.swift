/// Who may pass an admission gate, and who waits: the rules, without locks or tasks.
///
/// Strict: the most urgent waiter is next, then the oldest of them, and nobody of lower or equal priority passes while it
/// waits, even if they would fit. What is heavier than the gate passes when the gate is empty.
/// Every change answers with the tickets that it let in. Operations take logarithmic time.
struct AdmissionQueue {
    private(set) var capacity: Int
    private(set) var used = 0
    private var waiting = PriorityHeap()

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    var waitingCount: Int { waiting.count }

    /// Takes the weight at once if the rules let it; false changes nothing.
    mutating func tryAdmit(weight: Int, priority: WorkPriority) -> Bool {
        guard passesWaiters(priority), fits(weight) else { return false }
        used += weight
        return true
    }

    /// Queues a ticket that could not be admitted; tickets are numbered by arrival.
    mutating func wait(_ ticket: UInt64, weight: Int, priority: WorkPriority) -> [UInt64] {
        waiting.insert(.init(ticket: ticket, weight: weight, priority: priority))
        return admitWaiters()
    }

    /// Takes a ticket out of the queue, which may let others in; nil when it does not wait.
    mutating func cancel(_ ticket: UInt64) -> [UInt64]? {
        guard waiting.remove(ticket) != nil else { return nil }
        return admitWaiters()
    }

    /// Moves a waiting ticket among those of another priority, by its age.
    mutating func reprioritise(_ ticket: UInt64, to priority: WorkPriority) -> [UInt64] {
        guard waiting.reprioritise(ticket, to: priority) else { return [] }
        return admitWaiters()
    }

    mutating func release(weight: Int) -> [UInt64] {
        used -= weight
        return admitWaiters()
    }

    /// Gives a holder more, if nobody of its priority or above waits and there is room.
    ///
    /// A holder that is alone in the gate may grow beyond it, as a single heavy item may enter.
    mutating func tryGrow(from weight: Int, to target: Int, priority: WorkPriority) -> Bool {
        let isAlone = used == weight
        guard passesWaiters(priority), isAlone || target - weight <= capacity - used else { return false }
        used += target - weight
        return true
    }

    mutating func resize(to capacity: Int) -> [UInt64] {
        self.capacity = max(capacity, 1)
        return admitWaiters()
    }

    private func passesWaiters(_ priority: WorkPriority) -> Bool {
        waiting.first.map { $0.priority < priority } ?? true
    }

    /// Compared by subtraction, because a weight may be as large as an `Int` can be.
    private func fits(_ weight: Int) -> Bool {
        used == 0 || weight <= capacity - used
    }

    private mutating func admitWaiters() -> [UInt64] {
        var admitted: [UInt64] = []
        while let head = waiting.first, fits(head.weight) {
            waiting.remove(head.ticket)
            used += head.weight
            admitted.append(head.ticket)
        }
        return admitted
    }
}
