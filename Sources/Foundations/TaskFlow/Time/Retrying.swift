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
