/// How urgent a piece of work is compared with other work that waits for the same permits.
public enum WorkPriority: Int, CaseIterable, Comparable, Sendable {
    case veryLow, low, normal, high, veryHigh

    /// Orders priorities from least to most urgent.
    public static func < (lhs: WorkPriority, rhs: WorkPriority) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// The priority of a Swift task that does work of this urgency.
    public var taskPriority: TaskPriority {
        switch self {
        case .veryLow: .background
        case .low: .utility
        case .normal: .medium
        case .high, .veryHigh: .high
        }
    }
}
