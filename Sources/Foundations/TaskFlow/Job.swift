/// A value that describes work, to be run later, once, many times or never.
///
/// A job is made from an async closure, from a closure with a controller for code that answers through callbacks, or
/// from other jobs. It holds no state: each run goes from the start, also beside another run of the same job.
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

    /// Creates a job from work that answers through a controller.
    ///
    /// A cancellation is told to the controller; the work decides what comes of it, and the run ends when the controller does.
    ///
    /// - Parameters:
    ///   - output: What the controller is finished with.
    ///   - fileID: The file that messages about misuse name.
    ///   - line: The line that they name.
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

    /// Runs the job, and returns when all that it started has ended.
    ///
    /// It runs on the caller's preferred task executor or the global pool, whatever actor the caller is on. Nothing starts
    /// when the task is cancelled already.
    ///
    /// - Returns: What the work returns.
    /// - Throws: what the work throws; `CancellationError` when cancelled before the start.
    @concurrent
    public func run() async throws -> Output {
        try Task.checkCancellation()
        return try await operation()
    }

    /// The same job with another output, made from this one's.
    public func map<NewOutput: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> NewOutput
    ) -> Job<NewOutput> {
        Job<NewOutput> { try transform(await run()) }
    }
}

extension Job<Void> {
    /// Creates a job without output from work that answers through a controller.
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
    ///   - line: The line that they name.
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
