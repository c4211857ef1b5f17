/// An error of a schedule, or of the program in it: what is wrong, how to repeat it, and its story.
///
/// Throw one with a message from a scenario that finds something wrong. The run then throws it with the run to
/// repeat and its story; errors of other types become the ``cause``.
public struct ScheduleError: Error, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let description: String

        /// The program found something wrong, and threw a ``ScheduleError``.
        public static let violation = Code(description: "violation")
        /// The program threw another error, which is the ``ScheduleError/cause``.
        public static let programFailed = Code(description: "program_failed")
        /// Something runs elsewhere, or resumes a task inside a lock.
        public static let escaped = Code(description: "escaped")
        /// The run exceeded its step limit.
        public static let endless = Code(description: "endless")
        /// Nothing can run any more, and the program has not ended.
        public static let stuck = Code(description: "stuck")
        /// Two runs of one seed differ.
        public static let uncontrolled = Code(description: "uncontrolled")
        /// No run reached a state that the scenario requires.
        public static let neverReached = Code(description: "never_reached")
        /// This Swift runtime has no hooks for schedules.
        public static let noHooks = Code(description: "no_hooks")
    }

    /// What went wrong.
    public let code: Code
    /// What is wrong, without the run.
    public let message: String
    /// The error that the program threw; `nil` if it is this one, or if the schedule itself found it.
    public let cause: (any Error)?
    /// The argument for `ScheduleScenario.replay(_:)`; `nil` before a run has thrown the error.
    public private(set) var replay: ScheduleReplay?
    private var log = ScheduleLog()
    /// Further findings, such as how much was left out.
    var remarks: [String] = []
    /// Descriptions of the program's operations.
    var operations: [String] = []
    var scenario: String?

    /// Creates the error of a program that found something wrong.
    public init(_ message: String) {
        self.init(.violation, message)
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        cause = nil
    }

    /// Creates the error of a run that ended with `error`.
    init(_ error: any Error, replay: ScheduleReplay, log: ScheduleLog) {
        if let error = error as? ScheduleError {
            (code, message, cause) = (error.code, error.message, error.cause)
        } else {
            (code, message, cause) = (.programFailed, "\(error)", error)
        }
        self.replay = replay
        self.log = log
    }

    /// The interleaving, one line per step.
    ///
    /// Each line names the task that runs, where it continues, and the other tasks that could have run.
    public var story: String {
        log.tale.enumerated().map { "\($0 + 1). \(log.words($1))" }.joined(separator: "\n")
    }

    /// The message and, if a run threw the error, how to repeat it and its story.
    public var description: String {
        guard let replay else { return message }
        var lines =
            [scenario.map { "\($0): \(message)" } ?? message, "seed \(replay.seed), replay \"\(replay)\""]
            + remarks
        if !operations.isEmpty { lines += ["the program:"] + operations.map { "  \($0)" } }
        return (lines + ["the schedule:", story]).joined(separator: "\n")
    }
}

extension ScheduleError {
    static func escaped(_ what: String) -> ScheduleError {
        ScheduleError(.escaped, "left the schedule: \(what)")
    }

    static func endless(steps: Int) -> ScheduleError {
        ScheduleError(.endless, "still runs after \(steps) steps")
    }

    static func uncontrolled(_ difference: String) -> ScheduleError {
        ScheduleError(
            .uncontrolled,
            "two runs of one seed differ, so something else decides too: \(difference)"
        )
    }

    static func neverReached(_ states: [String], runs: Int) -> ScheduleError {
        ScheduleError(.neverReached, "never reached in \(runs) runs: \(states.joined(separator: ", "))")
    }

    static let stuck = ScheduleError(.stuck, "nothing can run any more, and the closure has not ended")
    static let noHooks = ScheduleError(
        .noHooks,
        "this Swift runtime has no hooks for schedules; link it dynamically"
    )
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
