import TaskFlow
import TaskFlowTesting

/// How urgent something is, for the models: by priority, then by the earlier deadline, in seconds; none comes last.
struct Rank: Hashable, Sendable, Comparable, CustomStringConvertible {
    var priority: WorkPriority
    var deadline: Int?

    var description: String { "\(priority)" + (deadline.map { " by \($0) s" } ?? "") }

    static func < (one: Rank, other: Rank) -> Bool {
        if one.priority != other.priority { return one.priority < other.priority }
        return (one.deadline ?? .max) > (other.deadline ?? .max)
    }

    static func random(_ random: inout ScheduleRandom) -> Rank {
        Rank(priority: random.priority(), deadline: random.oneIn(3) ? random.number(1...3) : nil)
    }

    /// Deadlines are only compared, so they need not be near.
    static func instant(_ seconds: Int?) -> ContinuousClock.Instant? {
        seconds.map { start + .seconds($0) }
    }

    /// What `instant` was made from.
    static func seconds(_ instant: ContinuousClock.Instant?) -> Int? {
        instant.map { Int((($0 - start) / .seconds(1)).rounded()) }
    }

    private static let start = ContinuousClock.now
}
