internal import CalotypePlatform

/// Runs a task on the thread that starts or resumes it, if that thread lends itself.
///
/// Otherwise the task runs in the global pool. A task that waits for one short piece of work on another
/// thread continues there immediately, without a thread switch that may take longer than the work. A thread
/// that hangs delays only what runs on it: a task that another thread resumes, because its time is up or it
/// was cancelled, runs in the pool.
package final class InlineExecutor: TaskExecutor {
    /// The executor, which has no threads and needs no end.
    package static let shared = InlineExecutor()

    /// Set on a thread while it lends itself.
    private let key: pthread_key_t?
    private static var mark: UnsafeRawPointer? { unsafe UnsafeRawPointer(bitPattern: 1) }

    private init() {
        var key = pthread_key_t()
        // Without a key no thread lends itself.
        self.key = unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }

    /// Calls `body` while this thread lends itself for one job.
    ///
    /// The first task of this executor that `body` starts or resumes runs on this thread until it waits,
    /// before the call that starts or resumes it returns. Must not be called while a lock is held that such a
    /// task takes, or in a cancellation handler: the Swift runtime aborts the process if a task ends inside
    /// the call that cancels it.
    package func lendingThread<Output>(_ body: () -> Output) -> Output {
        guard let key, TaskSchedule.current == nil else { return body() }
        unsafe pthread_setspecific(key, Self.mark)
        defer { pthread_setspecific(key, nil) }
        return body()
    }

    /// Runs a job of the Swift runtime, or hands it to the global pool.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard let key, unsafe pthread_getspecific(key) != nil else {
            return globalConcurrentExecutor.enqueue(job)
        }
        // What the job resumes goes to the pool, so that jobs do not pile up on one stack. So does what
        // `body` resumes later, because that may be this task, resumed by its own cancellation.
        pthread_setspecific(key, nil)
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
