/// A run of a schedule that went wrong: what happened, how to repeat it, and its story.
public struct ScheduleFailure: Error, Sendable, CustomStringConvertible {
    /// The error that was thrown.
    public let cause: any Error
    /// The argument for `ScheduleScenario.replay(_:)`.
    public let replay: ScheduleReplay
    let log: ScheduleLog
    /// Further findings, such as how much was left out.
    var remarks: [String] = []
    /// Descriptions of the program's operations.
    var operations: [String] = []
    var scenario: String?

    /// The interleaving, one line per step.
    ///
    /// Each line names the task that runs, where it continues, and the other tasks that could have run.
    public var story: String {
        log.tale.enumerated().map { "\($0 + 1). \(log.words($1))" }.joined(separator: "\n")
    }

    /// A full, readable description.
    public var description: String {
        var lines =
            [scenario.map { "\($0): \(cause)" } ?? "\(cause)", "seed \(replay.seed), replay \"\(replay)\""]
            + remarks
        if !operations.isEmpty { lines += ["the program:"] + operations.map { "  \($0)" } }
        return (lines + ["the schedule:", story]).joined(separator: "\n")
    }
}

/// A run to repeat: the seed of its program, the operations to include, and the decisions.
///
/// As text: the seed, then `/` and the numbers of the operations unless all are included, then `:` and the
/// decisions that did not pick the oldest job, as `STEP.CHOICE`: `17/0,2,5:3.1-9.2`.
public struct ScheduleReplay: Sendable, Hashable, CustomStringConvertible {
    /// The seed of the program.
    public let seed: UInt64
    /// The operations to include; nil for all.
    let operations: [Int]?
    let choices: [Int]

    init(seed: UInt64, operations: [Int]?, choices: [Int]) {
        self.seed = seed
        self.operations = operations
        self.choices = choices
    }

    /// Parses the output of `description`.
    ///
    /// Returns `nil` for any other text.
    public init?(_ text: String) {
        guard let match = text.wholeMatch(of: #/(\d+)(?:/([\d,]*))?:((?:\d+\.\d+)(?:-\d+\.\d+)*)?/#),
            let seed = UInt64(match.1)
        else { return nil }
        self.seed = seed
        operations = match.2.map { $0.split(separator: ",").compactMap { Int($0) } }
        var choices: [Int] = []
        for part in (match.3 ?? "").split(separator: "-") {
            let pair = part.split(separator: ".").compactMap { Int($0) }
            guard pair.count == 2, (choices.count..<1_000_000).contains(pair[0]), pair[1] > 0 else {
                return nil
            }
            choices += Array(repeating: 0, count: pair[0] - choices.count) + [pair[1]]
        }
        self.choices = choices
    }

    /// The replay as text.
    public var description: String {
        let kept = operations.map { "/" + $0.map(String.init).joined(separator: ",") } ?? ""
        let decisions = choices.enumerated().filter { $0.element != 0 }.map { "\($0.offset).\($0.element)" }
        return "\(seed)\(kept):\(decisions.joined(separator: "-"))"
    }
}
