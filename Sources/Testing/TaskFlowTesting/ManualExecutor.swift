internal import CalotypePlatform
internal import TaskFlow

/// A task executor that runs jobs only when the test says so.
///
/// Make it the preference of the tasks under test and drive them step by step from the test; children,
/// default actors and `withTaskExecutorPreference` pass it their jobs. End all tasks before the test ends,
/// because a job that never runs is never freed.
public final class ManualExecutor: TaskExecutor {
    private let jobs = Watched<[UnownedJob]>([])
    /// The thread that is running a job.
    private let thread = Guarded<SystemThread?>(nil)

    /// Creates an executor without jobs.
    public init() {}

    /// The number of queued jobs.
    public var queuedCount: Int { jobs.current.count }

    /// Whether the caller is part of a job that this executor is running.
    public var isCurrent: Bool {
        thread.withLock { $0 } == SystemThread.current
    }

    /// Queues a job of the Swift runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.change { $0.append(job) }
    }

    /// Waits until at least `count` jobs are queued.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func waitForJobs(_ count: Int) async throws {
        try await jobs.wait { $0.count >= count }
    }

    /// Runs a job on the calling thread, up to its next suspension.
    ///
    /// - Parameter choose: Picks the job from `0..<count`, the oldest being 0; the oldest by default.
    /// - Returns: Whether there was a job.
    @discardableResult
    public func runOne(choosing choose: (_ count: Int) -> Int = { _ in 0 }) -> Bool {
        let count = queuedCount
        guard count > 0 else { return false }
        let index = choose(count)
        let job = jobs.change { $0.indices.contains(index) ? $0.remove(at: index) : nil }
        guard let job else { preconditionFailure("job \(index) of \(count) was chosen") }
        thread.withLock { $0 = SystemThread.current }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        thread.withLock { $0 = nil }
        return true
    }

    /// Runs jobs, including those that they queue, until none is left, and returns how many it ran.
    @discardableResult
    public func runUntilIdle() -> Int {
        var count = 0
        while runOne() { count += 1 }
        return count
    }
}
