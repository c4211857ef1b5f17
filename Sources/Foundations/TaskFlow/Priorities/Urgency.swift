/// How urgent a piece of work is: by its priority first, then by the earlier deadline; no deadline comes last.
struct Urgency: Hashable, Sendable {
    var priority: WorkPriority
    /// When its result is of no more use; `nil` when it always is.
    var deadline: ContinuousClock.Instant?

    init(_ priority: WorkPriority = .normal, deadline: ContinuousClock.Instant? = nil) {
        self.priority = priority
        self.deadline = deadline
    }
}

extension Urgency: Comparable {
    /// Orders from least to most urgent.
    static func < (lhs: Urgency, rhs: Urgency) -> Bool {
        guard lhs.priority == rhs.priority else { return lhs.priority < rhs.priority }
        guard let deadline = rhs.deadline else { return false }
        return lhs.deadline.map { $0 > deadline } ?? true
    }
}
