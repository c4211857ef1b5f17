internal import TaskFlow

/// A task executor that runs nothing until the test says so, in the order in which jobs came.
///
/// Give it to the tasks under test as their preference and drive them step by step from the test. End all of them before the
/// test ends, because a job that is never run is never freed.
public final class ManualExecutor: TaskExecutor {
    private let jobs = Guarded<[UnownedJob]>([])
    private let queued = Level()

    /// Creates an executor without jobs.
    public init() {}

    /// How many jobs wait to be run.
    public var queuedCount: Int { jobs.withLock { $0.count } }

    /// Queues a job of the Swift runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        queued.add(1)
    }

    /// Waits until at least `count` jobs wait to be run.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func waitForJobs(_ count: Int) async throws {
        try await queued.reach(count)
    }

    /// Runs the oldest job on the calling thread, up to its next suspension; false when there is none.
    @discardableResult
    public func runOne() -> Bool {
        guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        queued.add(-1)
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// Runs jobs, those that they queue included, until none is left, and returns how many it ran.
    @discardableResult
    public func runUntilIdle() -> Int {
        var count = 0
        while runOne() { count += 1 }
        return count
    }
}
