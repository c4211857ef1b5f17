/// A finding of a quiet check or of a cancellation sweep.
public struct TestKitError: Error, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let description: String

        /// The work left something behind that should have ended.
        public static let notQuiet = Code(description: "not_quiet")
        /// The scenario of a sweep threw an error.
        public static let scenarioFailed = Code(description: "scenario_failed")
        /// The scenario of a sweep did not end: nothing of it could run, or it took too many steps.
        public static let scenarioStuck = Code(description: "scenario_stuck")
        /// The check after a run of a sweep threw an error.
        public static let checkFailed = Code(description: "check_failed")
    }

    /// What went wrong.
    public let code: Code
    /// A readable description of what went wrong.
    public let message: String
    /// The leftovers of a quiet check, one readable entry for each thing or owner.
    public let leftovers: [String]
    /// Where the run of a sweep was cancelled; `nil` outside sweeps.
    public let cut: SweepCut?
    /// The error that the scenario or the check threw.
    public let cause: (any Error)?

    /// Creates the error of work that left something behind.
    public init(leftovers: [String]) {
        code = .notQuiet
        message = "not quiet, \(leftovers.count) left over: " + leftovers.joined(separator: "; ")
        self.leftovers = leftovers
        cut = nil
        cause = nil
    }

    init(_ code: Code, _ message: String, cut: SweepCut, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        leftovers = []
        self.cut = cut
        self.cause = cause
    }

    /// The cut, if there is one, and what went wrong, on one line.
    public var description: String { (cut.map { "\($0): " } ?? "") + message }
}
