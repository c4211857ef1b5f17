/// Which of the calls to a controller decides its outcome: the rules, without locks or continuations.
struct ControllerMachine<Output: Sendable> {
    typealias Outcome = Result<Output, any Error>

    enum Verdict {
        /// The work has this outcome.
        case end(Outcome)
        /// The outcome is known already, which a cancellation excuses.
        case ignore
        /// The outcome is known already, by a mistake of the caller.
        case misuse
    }

    let cancellation: CallbackCancellation
    private(set) var isCancelled = false
    /// Whether the controller was finished or let go.
    private(set) var isAnswered = false

    init(_ cancellation: CallbackCancellation) {
        self.cancellation = cancellation
    }

    /// Whether the outcome is decided.
    var isEnded: Bool { isAnswered || isCancelled && cancellation == .throwsAtOnce }

    /// The callback came.
    mutating func finish(_ outcome: Outcome) -> Verdict {
        let wasEnded = isEnded
        isAnswered = true
        guard !wasEnded else { return isCancelled ? .ignore : .misuse }
        let isOverruled = isCancelled && cancellation != .leftToCallback
        return .end(isOverruled ? .failure(CancellationError()) : outcome)
    }

    /// The controller was let go; the outcome, unless there was one.
    mutating func abandon(at location: CodeLocation) -> Outcome? {
        let wasEnded = isEnded
        isAnswered = true
        guard !wasEnded else { return nil }
        return .failure(isCancelled ? CancellationError() : JobAbandoned(location: location))
    }

    /// The task was cancelled; the outcome, if that decides it.
    mutating func cancel() -> Outcome? {
        guard !isEnded else { return nil }
        isCancelled = true
        return isEnded ? .failure(CancellationError()) : nil
    }
}
