public import Dispatch

/// A task executor that runs tasks on a dispatch queue, for code that is built on queues.
///
/// What a task does between two suspensions is one block of the queue. On a serial queue these blocks run one at a time,
/// but tasks still take turns where they wait.
public final class QueueExecutor: TaskExecutor {
    /// Where the tasks run.
    public let queue: DispatchQueue

    /// Creates an executor for the queue.
    public init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    /// Queues a job of the Swift runtime; tasks do this when they prefer this executor.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
