/// Those who wait for one flight, and how urgent it is to them together: the highest priority and the earliest deadline.
///
/// Operations take logarithmic time.
struct FlightWaiters {
    private struct Deadline: HeapEntry {
        let id: UInt64
        var deadline: ContinuousClock.Instant

        func precedes(_ other: Deadline) -> Bool {
            deadline == other.deadline ? id < other.id : deadline < other.deadline
        }
    }

    /// When the last waiter has left, what it was then.
    private(set) var urgency = Urgency()
    private var urgencies: [UInt64: Urgency] = [:]
    /// How many there are of each priority, so that the highest is found without asking all.
    private var census = [Int](repeating: 0, count: WorkPriority.allCases.count)
    /// Of those who have one.
    private var deadlines = PriorityHeap<Deadline>()

    var isEmpty: Bool { urgencies.isEmpty }
    /// All of them, the oldest first.
    var ids: [UInt64] { urgencies.keys.sorted() }

    /// Adds a waiter, or changes one that is here.
    mutating func set(_ id: UInt64, _ urgency: Urgency) {
        if let old = urgencies.updateValue(urgency, forKey: id) { forget(id, old) }
        census[urgency.priority.rawValue] += 1
        if let deadline = urgency.deadline { deadlines.insert(Deadline(id: id, deadline: deadline)) }
        refresh()
    }

    mutating func remove(_ id: UInt64) {
        guard let old = urgencies.removeValue(forKey: id) else { return }
        forget(id, old)
        refresh()
    }

    private mutating func forget(_ id: UInt64, _ urgency: Urgency) {
        census[urgency.priority.rawValue] -= 1
        if urgency.deadline != nil { deadlines.remove(id) }
    }

    private mutating func refresh() {
        guard let highest = census.lastIndex(where: { $0 > 0 }).flatMap(WorkPriority.init(rawValue:)) else {
            return
        }
        urgency = Urgency(highest, deadline: deadlines.first?.deadline)
    }
}
