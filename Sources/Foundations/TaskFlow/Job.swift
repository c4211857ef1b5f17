/// A value that describes work to be run later: once, many times or never.
///
/// Create a job from an async closure, from a closure with a controller for code that reports through
/// callbacks, or from other jobs. It holds no state: each run starts from the beginning, even beside another
/// run of the same job.
///
/// ```swift
/// let save = Job.sequence([saveWorkout, .group([addSamples, addRoute]).timeout(.seconds(30)), commit])
/// try await save.run()
/// ```
public struct Job<Output: Sendable>: Sendable {
    private let operation: @Sendable () async throws -> Output

    /// Creates a job from async work.
    public init(_ operation: @escaping @Sendable () async throws -> Output) {
        self.operation = operation
    }

    /// Creates a job from work that reports its outcome through a controller.
    ///
    /// The controller is notified of a cancellation; the work decides what to do, and the run ends when the
    /// controller does.
    ///
    /// - Parameters:
    ///   - output: What the controller is finished with.
    ///   - fileID: The file that messages about misuse name.
    ///   - line: The line that these messages name.
    ///   - start: Starts the work and returns without waiting.
    public init(
        of output: Output.Type,
        fileID: String = #fileID,
        line: Int = #line,
        _ start: @escaping @Sendable (JobController<Output>) -> Void
    ) {
        self.init {
            try await withCallback(
                of: output,
                cancellation: .leftToCallback,
                fileID: fileID,
                line: line,
                start
            )
        }
    }

    /// Runs the job, and returns when everything it started has ended.
    ///
    /// It runs on the caller's preferred task executor or the global pool, whatever actor the caller is on.
    /// Nothing starts if the task is cancelled already.
    ///
    /// - Returns: What the work returns.
    /// - Throws: What the work throws; `CancellationError` when cancelled before the start.
    @concurrent
    public func run() async throws -> Output {
        try Task.checkCancellation()
        return try await operation()
    }

    /// Returns a job that transforms this job's output.
    public func map<NewOutput: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> NewOutput
    ) -> Job<NewOutput> {
        Job<NewOutput> { try transform(await run()) }
    }
}

extension Job<Void> {
    /// Creates a job without output from work that reports its outcome through a controller.
    ///
    /// ```swift
    /// let save = Job { controller in
    ///     store.save(workout) { error in
    ///         if let error { controller.fail(with: error) } else { controller.finish() }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: The file that messages about misuse name.
    ///   - line: The line that these messages name.
    ///   - start: Starts the work and returns without waiting.
    public init(
        fileID: String = #fileID,
        line: Int = #line,
        _ start: @escaping @Sendable (JobController<Void>) -> Void
    ) {
        self.init(of: Void.self, fileID: fileID, line: line, start)
    }
}

extension Job {
    /// Returns a job that retries this one after a failure, as the policy says.
    ///
    /// - Parameters:
    ///   - policy: How often, after what pause, and after which errors; cancellation is never retried.
    ///   - clock: The clock that measures the budget and the pauses.
    ///   - random: Picks a duration from zero to the given one; uniform by default.
    /// - Returns: A job that throws the error of its last attempt.
    public func retrying(
        _ policy: RetryPolicy = RetryPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable (Duration) -> Duration = RetryPolicy.fullJitter
    ) -> Job {
        Job { try await repeated(policy, clock: clock, random: random) }
    }

    /// Returns a job that cancels this one if it takes longer than `duration`.
    ///
    /// Its run ends when this job has ended, even after a timeout.
    ///
    /// - Parameters:
    ///   - duration: The time for one run; with zero or less, nothing starts.
    ///   - clock: The clock that measures it.
    /// - Returns: A job that throws `deadline_exceeded` if time ran out first.
    public func timeout(
        _ duration: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Job {
        Job { try await withTimeout(duration, clock: clock) { try await run() } }
    }

    /// Opens the clock's type, which the job does not know.
    private func repeated<C: Clock<Duration>>(
        _ policy: RetryPolicy,
        clock: C,
        random: @Sendable (Duration) -> Duration
    ) async throws -> Output {
        try await TaskFlow.retrying(policy, clock: clock, random: random) { _ in try await run() }
    }
}
