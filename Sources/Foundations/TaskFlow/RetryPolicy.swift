/// When to retry failed work, and after what pause.
///
/// The pause before attempt n + 1 is random between zero and `baseDelay × 2ⁿ⁻¹`, at most `maximumDelay`
/// (exponential backoff with full jitter, so that many clients do not retry at the same moment).
public struct RetryPolicy: Sendable {
    /// What to do about an error.
    public enum Decision: Hashable, Sendable {
        /// Stop and throw the error.
        case stop
        /// Try again after the policy's pause.
        case retry
        /// Try again after at least this long, as a server requested.
        case retryAfter(Duration)
    }

    /// The maximum number of attempts, at least one; 3 by default.
    public var maximumAttempts: Int
    /// The longest pause after the first failure; 200 ms by default.
    public var baseDelay: Duration
    /// The longest pause, unless a server requests more; 10 s by default.
    public var maximumDelay: Duration
    /// The time for all attempts and pauses, counted from the start; unlimited by default.
    public var budget: Duration?
    /// Decides about an error of the given attempt, counted from one; never called for `CancellationError`.
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

    /// Returns the pause after an error of the given attempt; nil to stop.
    ///
    /// - Parameters:
    ///   - error: What the attempt threw.
    ///   - attempt: Its number, counted from one.
    ///   - elapsed: The time since the start of the first attempt.
    ///   - random: Picks a duration from zero to the given one.
    /// - Returns: How long to wait; nil if another attempt is of no use or there is no time for it.
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

/// Runs `operation`, repeatedly as the policy says, until it succeeds.
///
/// Cancellation is never retried, whether the caller is cancelled or the operation throws
/// `CancellationError`. If the next pause would exceed the policy's budget, the last error is thrown
/// immediately.
///
/// - Parameters:
///   - policy: How often, after what pause, and after which errors.
///   - clock: The clock that measures the budget and the pauses.
///   - random: Picks a duration from zero to the given one; uniform by default.
///   - operation: The work; it receives the number of the attempt, from one.
/// - Returns: What the first successful attempt returns.
/// - Throws: The error of the last attempt, or `CancellationError` when cancelled during a pause.
public func retrying<Output, C: Clock<Duration>>(
    _ policy: RetryPolicy,
    clock: C = ContinuousClock(),
    random: (Duration) -> Duration = RetryPolicy.fullJitter,
    operation: (_ attempt: Int) async throws -> Output
) async throws -> Output {
    let start = clock.now
    return try await retrying(operation) { error, attempt in
        let elapsed = start.duration(to: clock.now)
        let pause = policy.pause(after: error, attempt: attempt, elapsed: elapsed, random: random)
        guard let pause else { throw error }
        try await clock.sleep(for: pause)
    }
}

/// Runs `operation` again and again until it succeeds or `recover` throws.
///
/// It is for decisions that a ``RetryPolicy`` cannot express: progress that gives the attempts new time, a
/// pause that other work keeps too, or something to forget before the next attempt.
///
/// - Parameters:
///   - operation: The work; receives the number of the attempt, from one.
///   - recover: Waits for the next attempt after an error, or throws the error to end with.
/// - Returns: What the first successful attempt returns.
/// - Throws: What `recover` throws; `CancellationError` if the task is cancelled before the next attempt.
package func retrying<Output>(
    _ operation: (_ attempt: Int) async throws -> Output,
    recover: (_ error: any Error, _ attempt: Int) async throws -> Void
) async throws -> Output {
    var attempt = 1
    while true {
        do {
            return try await operation(attempt)
        } catch {
            try await recover(error, attempt)
            try Task.checkCancellation()
            attempt += 1
        }
    }
}
