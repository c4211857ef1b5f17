/// When and after what pause failed work is tried again.
///
/// The pause before attempt n + 1 is random between zero and `baseDelay × 2ⁿ⁻¹`, at most `maximumDelay` (exponential
/// backoff with full jitter, so that many clients do not come back at the same moment).
public struct RetryPolicy: Sendable {
    /// What to do about an error.
    public enum Decision: Hashable, Sendable {
        /// Give up and throw it.
        case stop
        /// Try again after the policy's pause.
        case retry
        /// Try again after at least this long, as a server asked for.
        case retryAfter(Duration)
    }

    /// How often the work is tried in all, at least once; 3 unless given.
    public var maximumAttempts: Int
    /// The longest pause after the first failure; 200 ms unless given.
    public var baseDelay: Duration
    /// The longest pause ever, unless a server asks for more; 10 s unless given.
    public var maximumDelay: Duration
    /// The time for all attempts and pauses, counted from the start; none unless given.
    public var budget: Duration?
    /// What to do about an error of the given attempt, counted from one; never asked about `CancellationError`.
    public var decide: @Sendable (_ error: any Error, _ attempt: Int) -> Decision

    /// Creates a policy.
    public init(
        maximumAttempts: Int = 3,
        baseDelay: Duration = .milliseconds(200),
        maximumDelay: Duration = .seconds(10),
        budget: Duration? = nil,
        decide: @escaping @Sendable (_ error: any Error, _ attempt: Int) -> Decision = { _, _ in .retry }
    ) {
        self.maximumAttempts = maximumAttempts
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.budget = budget
        self.decide = decide
    }

    /// The longest pause after the given attempt, counted from one.
    public func ceiling(afterAttempt attempt: Int) -> Duration {
        guard baseDelay > .zero else { return .zero }
        var delay = min(baseDelay, maximumDelay)
        var doublings = attempt - 1
        while doublings > 0 && delay < maximumDelay {
            delay = min(delay * 2, maximumDelay)
            doublings -= 1
        }
        return delay
    }

    /// The pause after an error of the given attempt; nil to give up.
    ///
    /// - Parameters:
    ///   - error: What the attempt threw.
    ///   - attempt: Which one it was, counted from one.
    ///   - elapsed: The time since the start of the first attempt.
    ///   - random: Picks a duration from zero to the given one.
    /// - Returns: How long to wait; nil when there is no use or no time for another attempt.
    public func pause(
        after error: any Error,
        attempt: Int,
        elapsed: Duration,
        random: (Duration) -> Duration
    ) -> Duration? {
        guard !(error is CancellationError), attempt < maximumAttempts else { return nil }
        let delay: Duration
        switch decide(error, attempt) {
        case .stop: return nil
        case .retry: delay = random(ceiling(afterAttempt: attempt))
        case .retryAfter(let asked): delay = max(asked, .zero)
        }
        if let budget, elapsed + delay >= budget { return nil }
        return delay
    }

    /// Picks a duration from zero to `ceiling`, each equally likely.
    public static func fullJitter(_ ceiling: Duration) -> Duration {
        ceiling > .zero ? ceiling * Double.random(in: 0...1) : .zero
    }
}

/// Runs `operation`, again and again as the policy says, until it succeeds.
///
/// Cancellation is never retried, neither that of the caller nor a `CancellationError` of the operation. When the next
/// pause would reach past the policy's budget, the last error is thrown at once.
///
/// - Parameters:
///   - policy: How often, after what pause, and after which errors.
///   - clock: What measures the budget and the pauses.
///   - random: Picks a duration from zero to the given one; uniform unless a test says otherwise.
///   - operation: The work; it is given the number of the attempt, from one.
/// - Returns: What the first successful attempt returns.
/// - Throws: The error of the last attempt, or `CancellationError` when cancelled during a pause.
public func retrying<Output, C: Clock<Duration>>(
    _ policy: RetryPolicy,
    clock: C = ContinuousClock(),
    random: (Duration) -> Duration = RetryPolicy.fullJitter,
    operation: (_ attempt: Int) async throws -> Output
) async throws -> Output {
    let start = clock.now
    var attempt = 1
    while true {
        do {
            return try await operation(attempt)
        } catch {
            let elapsed = start.duration(to: clock.now)
            let pause = policy.pause(after: error, attempt: attempt, elapsed: elapsed, random: random)
            guard let pause else { throw error }
            try await clock.sleep(for: pause)
            try Task.checkCancellation()
            attempt += 1
        }
    }
}
