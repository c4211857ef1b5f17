public import Dispatch

/// A task executor that runs tasks on a dispatch queue, for code that is built on queues.
///
/// Each piece of a task between two suspensions is one block on the queue. On a serial queue these blocks run
/// one at a time, but tasks still interleave where they wait.
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
        if let schedule = TaskSchedule.current { return schedule.enqueue(job, for: self) }
        queue.async { self.run(job) }
    }

    /// Calls `body` on the queue, outside any task except in a schedule.
    package func call(_ body: @escaping @Sendable () -> Void) {
        if TaskSchedule.current == nil {
            queue.async(execute: body)
        } else {
            // Owner: the schedule, which ends with its last job.
            Task.detached(name: "block", executorPreference: self) { body() }
        }
    }

    /// Runs a job that was given to the queue, or to a schedule in its place.
    package func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Identifies the queue in a schedule if its blocks start in order.
    ///
    /// Nil for the system's queues, which start blocks on several threads.
    package var line: ObjectIdentifier? {
        queue.label.hasPrefix("com.apple.root.") ? nil : ObjectIdentifier(queue)
    }

    /// The queue's label.
    package var name: String { queue.label }
}
