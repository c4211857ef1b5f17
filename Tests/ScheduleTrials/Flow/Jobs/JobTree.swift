import TaskFlowTesting

/// A job of jobs, at random.
///
/// Times are nanoseconds.
indirect enum JobTree: Sendable {
    case leaf(JobLeaf)
    case sequence([JobTree])
    case group([JobTree], width: Int?, needsAll: Bool)
    case retrying(JobTree, attempts: Int, pause: Int, budget: Int?)
    case timeout(JobTree, Int)
    case deadline(JobTree, Int)
}

/// A job that takes some time and has its number as output.
struct JobLeaf: Sendable {
    enum Kind: Sendable, CaseIterable {
        case sleeps, answers
        /// Lets its controller go.
        case abandons
    }

    let id: Int
    let kind: Kind
    let duration: Int
    /// It fails when it was started before that time.
    let failsUntil: Int
    /// Whether it ends as soon as it is cancelled.
    let obeys: Bool
}

extension JobTree {
    /// The numbers of its leaves, in their order.
    var leaves: [Int] {
        switch self {
        case .leaf(let leaf): [leaf.id]
        case .sequence(let jobs), .group(let jobs, _, _): jobs.flatMap(\.leaves)
        case .retrying(let job, _, _, _), .timeout(let job, _), .deadline(let job, _): job.leaves
        }
    }

    /// Whether nothing in it may fail.
    var isBenign: Bool {
        switch self {
        case .leaf(let leaf): leaf.kind != .abandons && leaf.failsUntil == 0
        case .sequence(let jobs), .group(let jobs, _, _): jobs.allSatisfy(\.isBenign)
        case .retrying(let job, _, _, _): job.isBenign
        case .timeout, .deadline: false
        }
    }
}

/// A run of a job, and when it is cancelled.
struct JobRun: Sendable {
    let tree: JobTree
    let cancelAt: Int?
}

extension JobRun: CustomStringConvertible {
    var description: String {
        "run \(tree)" + (cancelAt.map { ", and cancel it at \($0)" } ?? "")
    }
}

extension JobTree: CustomStringConvertible {
    var description: String {
        switch self {
        case .leaf(let leaf):
            "\(leaf.kind) \(leaf.id) (\(leaf.duration)\(leaf.failsUntil > 0 ? ", fails until \(leaf.failsUntil)" : "")"
                + "\(leaf.obeys ? "" : ", stubborn"))"
        case .sequence(let jobs): "sequence \(jobs)"
        case .group(let jobs, let width, let needsAll):
            "group\(width.map { " of width \($0)" } ?? "")\(needsAll ? ", all errors" : "") \(jobs)"
        case .retrying(let job, let attempts, let pause, let budget):
            "[\(job)] up to \(attempts) times, pause \(pause)\(budget.map { ", budget \($0)" } ?? "")"
        case .timeout(let job, let time): "[\(job)] in at most \(time)"
        case .deadline(let job, let time): "[\(job)] until \(time) from now"
        }
    }
}

/// Makes trees whose durations have a unit: one, so that no two moments are the same, or many, so that most are.
struct JobTreeMaker {
    let unit: Int
    private var lastLeaf = 0

    init(unit: Int) {
        self.unit = unit
    }

    mutating func run(_ random: inout ScheduleRandom) -> JobRun {
        let tree = tree(depth: 3, &random)
        let cancel = duration(&random) * 2 + (unit == 1 ? 1 : 0)
        return JobRun(tree: tree, cancelAt: random.oneIn(2) ? cancel : nil)
    }

    private mutating func tree(depth: Int, _ random: inout ScheduleRandom) -> JobTree {
        guard depth > 0, !random.oneIn(4) else { return .leaf(leaf(&random)) }
        switch random.number(0...9) {
        case 0..<2: return .sequence(trees(depth, &random))
        case 2..<5:
            let width = random.oneIn(2) ? random.number(1...3) : nil
            return .group(trees(depth, &random), width: width, needsAll: random.oneIn(2))
        case 5..<7:
            return .retrying(
                tree(depth: depth - 1, &random),
                attempts: random.number(1...3),
                pause: duration(&random) / 2,
                budget: random.oneIn(3) ? duration(&random) * 3 : nil
            )
        case 7..<9: return .timeout(tree(depth: depth - 1, &random), duration(&random) * 2)
        default: return .deadline(tree(depth: depth - 1, &random), duration(&random) * 2)
        }
    }

    private mutating func trees(_ depth: Int, _ random: inout ScheduleRandom) -> [JobTree] {
        (0..<random.number(0...3)).map { _ in tree(depth: depth - 1, &random) }
    }

    private mutating func leaf(_ random: inout ScheduleRandom) -> JobLeaf {
        lastLeaf += 1
        return JobLeaf(
            id: lastLeaf,
            kind: JobLeaf.Kind.allCases.randomElement(using: &random) ?? .sleeps,
            duration: duration(&random),
            failsUntil: random.oneIn(3) ? duration(&random) : 0,
            obeys: !random.oneIn(3)
        )
    }

    /// Up to a second.
    private func duration(_ random: inout ScheduleRandom) -> Int {
        random.number(0...1_000_000_000 / unit) * unit
    }
}
