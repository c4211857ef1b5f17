internal import TaskFlow

/// Decides what follows a failed attempt.
struct AttemptMachine {
    /// What to do.
    enum Decision: Hashable {
        /// The failure is final.
        case giveUp
        /// Try again after a pause, a random one of at most so long.
        case retry(upTo: Duration)
        /// Try again after exactly this pause.
        case retryAfter(Duration)
        /// Nothing of the publication is sent for so long, then try again.
        case hold(Duration)
        /// Forget what was remembered, and try again at once.
        case startOver
    }

    private let limits: PublishRetry
    private let pauses: RetryPolicy
    private var failures = 0
    private var waits = 0
    private var busy = 0
    private var restarts = 0
    /// The time since the start that attempts without success may take, as of the last success.
    private var deadline: Duration

    /// - Parameters:
    ///   - limits: How long to try on.
    ///   - elapsed: The time since the start when the first attempt begins.
    init(_ limits: PublishRetry, at elapsed: Duration = .zero) {
        self.limits = limits
        pauses = RetryPolicy(baseDelay: limits.baseDelay, maximumDelay: limits.maximumDelay)
        deadline = elapsed + limits.budget
    }

    /// Takes note of a wait that the server asked for, which nobody is to blame for.
    mutating func waited(_ time: Duration) {
        deadline += time
    }

    /// Takes note that the server has more bytes than ever before; `elapsed` is the time since the start.
    mutating func advanced(at elapsed: Duration) {
        (failures, waits, busy) = (0, 0, 0)
        deadline = elapsed + limits.budget
    }

    /// Decides after a failure; `elapsed` is the time since the start.
    mutating func failed(_ remedy: PublishFailure.Remedy, at elapsed: Duration) -> Decision {
        // One attempt that took very long is no reason to give up.
        guard elapsed < deadline || failures + waits + busy + restarts == 0 else { return .giveUp }
        switch remedy {
        case .none: return .giveUp
        case .retry, .settle: return countedRetry()
        case .wait(let wish): return wait(wish)
        case .busy:
            busy += 1
            return .retryAfter(min(.seconds(busy), .seconds(5)))
        case .startOver:
            restarts += 1
            return restarts > limits.restarts ? .giveUp : .startOver
        }
    }

    private mutating func countedRetry() -> Decision {
        failures += 1
        guard failures < limits.attempts else { return .giveUp }
        return .retry(upTo: pauses.ceiling(afterAttempt: failures))
    }

    private mutating func wait(_ wish: Duration?) -> Decision {
        waits += 1
        guard waits < limits.attempts else { return .giveUp }
        let pause = wish ?? pauses.ceiling(afterAttempt: waits + 2)
        guard pause <= limits.longestWait else { return .giveUp }
        return .hold(pause)
    }
}
