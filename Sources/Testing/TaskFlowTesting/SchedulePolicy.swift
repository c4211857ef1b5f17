internal import TaskFlow

/// How a schedule decides which runnable job is next.
public enum SchedulePolicy: Sendable, Hashable {
    /// Any job, each as likely as the others.
    case random

    /// By random priorities of tasks, of which `depth - 1` change at random steps.
    ///
    /// Finds a bug that takes `depth` ordered steps with a known probability: Burckhardt et al., "A
    /// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", 2010. `depth` is usually 1 to 4;
    /// `length` is roughly the number of decisions in a run.
    case pct(depth: Int, length: Int = 200)

    /// The job that has waited longest.
    case firstInFirstOut

    /// The choices of an earlier run: the number of each decision's job.
    ///
    /// The oldest job is 0, and so is every choice after the last.
    case recorded([Int])
}

/// Makes the decisions of one run.
struct ScheduleChooser {
    private var random: ScheduleRandom
    private let policy: SchedulePolicy
    private var count = 0
    /// The priorities of tasks; the highest runs first.
    private var priorities: [Int: UInt64] = [:]
    /// The decisions at which the task that would run is demoted, and how far.
    private var changes: [Int: UInt64] = [:]

    init(_ policy: SchedulePolicy, seed: UInt64) {
        self.policy = policy
        random = ScheduleRandom(seed: seed)
        guard case .pct(let depth, let length) = policy else { return }
        for level in 0..<max(depth - 1, 0) {
            changes[Int.random(in: 0..<max(length, 1), using: &random)] = UInt64(level)
        }
    }

    /// Chooses from jobs of these tasks, the oldest first; there are at least two.
    mutating func choose(among tasks: [Int]) -> Int {
        defer { count += 1 }
        switch policy {
        case .random: return Int.random(in: tasks.indices, using: &random)
        case .pct: return highest(tasks)
        case .firstInFirstOut: return 0
        case .recorded(let choices):
            guard count < choices.count, tasks.indices.contains(choices[count]) else { return 0 }
            return choices[count]
        }
    }

    /// Chooses whether another task interrupts the first one, which is running.
    ///
    /// An interruption lasts for some steps.
    mutating func interrupt(_ tasks: [Int], isInterrupted: Bool) -> Int {
        switch policy {
        case .random:
            defer { count += 1 }
            guard Int.random(in: 0..<(isInterrupted ? 16 : 2), using: &random) > 0 else { return 0 }
            return Int.random(in: 1..<tasks.count, using: &random)
        case .pct:
            if !isInterrupted, Int.random(in: 0..<4, using: &random) == 0 { priorities[tasks[0]] = 0 }
            return choose(among: tasks)
        case .firstInFirstOut, .recorded: return choose(among: tasks)
        }
    }

    private mutating func highest(_ tasks: [Int]) -> Int {
        for task in tasks where priorities[task] == nil {
            // Above all demoted tasks.
            priorities[task] = .random(in: 1 << 32 ... .max, using: &random)
        }
        if let level = changes[count] { priorities[tasks[first(tasks)]] = level }
        return first(tasks)
    }

    private func first(_ tasks: [Int]) -> Int {
        var best = 0
        for index in tasks.indices
        where priorities[tasks[index], default: 0] > priorities[tasks[best], default: 0] {
            best = index
        }
        return best
    }
}

/// Random numbers derived from a seed.
public struct ScheduleRandom: RandomNumberGenerator, Sendable {
    private var generator: SplitMix64

    /// Creates a generator; equal seeds give equal numbers.
    public init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 { generator.next() }
}
