extension Job {
    /// The same job, run again after a failure as the policy says.
    ///
    /// - Parameters:
    ///   - policy: How often, after what pause, and after which errors; cancellation is never retried.
    ///   - clock: What measures the budget and the pauses.
    ///   - random: Picks a duration from zero to the given one; uniform unless a test says otherwise.
    /// - Returns: A job that throws the error of its last attempt.
    public func retrying(
        _ policy: RetryPolicy = RetryPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable (Duration) -> Duration = RetryPolicy.fullJitter
    ) -> Job {
        Job { try await repeated(policy, clock: clock, random: random) }
    }

    /// The same job, cancelled when it takes longer than `duration`.
    ///
    /// Its run ends when the job has ended, also after the time is up.
    ///
    /// - Parameters:
    ///   - duration: The time for one run; zero or less lets nothing start.
    ///   - clock: What measures it.
    /// - Returns: A job that throws `DeadlineExceeded` when the time ran out first.
    public func timeout(
        _ duration: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Job {
        Job { try await withTimeout(duration, clock: clock) { try await run() } }
    }

    /// Opens the clock, whose type a job does not tell.
    private func repeated<C: Clock<Duration>>(
        _ policy: RetryPolicy,
        clock: C,
        random: @Sendable (Duration) -> Duration
    ) async throws -> Output {
        try await TaskFlow.retrying(policy, clock: clock, random: random) { _ in try await run() }
    }
}
