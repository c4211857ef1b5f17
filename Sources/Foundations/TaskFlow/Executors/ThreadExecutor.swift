internal import CalotypePlatform

/// A task executor with threads of its own, for work that computes or blocks in C calls.
///
/// Jobs run in the order in which they arrive. Idle threads wait on a condition variable and use no CPU.
/// Nothing runs before `start()`; jobs that arrive earlier wait. `withThreadExecutor` provides one for the
/// duration of a scope; an owner that lives as long as the process calls `start()` and `shutdown()` itself.
///
/// A job that arrives after the shutdown (from a task that outlived the scope, which is a mistake of its
/// owner) runs on the global pool. So does a job that still waits for the start when the executor is shut
/// down. No task is ever stranded.
public final class ThreadExecutor: TaskExecutor {
    private enum Phase {
        case idle, running, ending, ended
    }

    private enum Step {
        case run(UnownedJob)
        /// The thread ends, and resumes the callers that waited for the last thread.
        case leave([CheckedContinuation<Void, Never>])
    }

    private struct State {
        var phase = Phase.idle
        var jobs = FIFO<UnownedJob>()
        var threads: [SystemThread] = []
        var alive = 0
        var endWaiters: [CheckedContinuation<Void, Never>] = []
        /// Runs the jobs instead of threads, in a test.
        var schedule: (any TaskScheduling)?
        /// The jobs that the schedule has not finished.
        var scheduledCount = 0

        /// Returns what a free thread does next; nil to wait.
        ///
        /// The last thread to leave closes the queue in the same step, so that no job is left in it.
        mutating func nextStep() -> Step? {
            if let job = jobs.popFirst() { return .run(job) }
            guard phase == .ending else { return nil }
            alive -= 1
            return .leave(alive == 0 ? close() : [])
        }

        /// Records that the schedule has run a job, and returns the callers that waited for the last one.
        mutating func scheduledJobEnded() -> [CheckedContinuation<Void, Never>] {
            scheduledCount -= 1
            return phase == .ending && scheduledCount == 0 ? close() : []
        }

        mutating func close() -> [CheckedContinuation<Void, Never>] {
            phase = .ended
            defer { endWaiters = [] }
            return endWaiters
        }
    }

    /// The name of its threads: this name and a number, cut to the 15 bytes that Linux allows.
    public let name: String
    /// The number of threads, at least one.
    public let threadCount: Int
    /// How far its threads yield when processors are scarce, from 0 (not at all) to 19.
    public let niceness: Int
    private let state = Monitor(State())

    /// Creates an executor that has not been started.
    public init(name: String, threads: Int, niceness: Int = 0) {
        self.name = name
        threadCount = max(threads, 1)
        self.niceness = min(max(niceness, 0), 19)
    }

    /// The number of jobs waiting for a thread.
    public var queuedCount: Int { state.withLock { $0.jobs.count + $0.scheduledCount } }

    /// The number of running threads: zero before the start and after the shutdown.
    public var liveThreadCount: Int { state.withLock { $0.alive } }

    /// Creates the threads; a second call does nothing.
    ///
    /// If the system creates fewer threads than requested, the executor runs on those.
    ///
    /// - Throws: `thread_not_started` if the system creates no thread at all.
    public func start() throws {
        try state.withLock { state in
            guard state.phase == .idle else { return }
            if let schedule = TaskSchedule.current {
                state.schedule = schedule
                state.phase = .running
                while let job = state.jobs.popFirst() { hand(job, to: schedule, &state) }
                return
            }
            for index in 0..<threadCount {
                do {
                    try launch(index, into: &state)
                } catch {
                    guard state.alive > 0 else { throw error }
                    break
                }
            }
            state.phase = .running
        }
    }

    /// Finishes all queued jobs, and returns when the threads have ended.
    ///
    /// Waits without blocking a thread, even if the caller is cancelled. Call it when no task uses the
    /// executor any more. Any number of callers may wait.
    public func shutdown() async {
        // The executor can no longer start, so jobs that wait for the start go where late jobs go.
        let unstarted = state.withLock { state in
            guard state.phase == .idle else { return FIFO<UnownedJob>() }
            state.phase = .ended
            defer { state.jobs = FIFO() }
            return state.jobs
        }
        runElsewhere(unstarted)
        await withCheckedContinuation { continuation in
            let endedAlready = state.withLock { state in
                if state.phase == .running, state.schedule != nil, state.scheduledCount == 0 {
                    state.phase = .ended
                }
                guard state.phase != .ended else { return true }
                state.phase = .ending
                state.endWaiters.append(continuation)
                return false
            }
            if endedAlready { continuation.resume() }
            state.wakeAll()
        }
        joinThreads()
    }

    /// Queues a job of the Swift runtime; tasks do this when they prefer this executor.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOpen = state.withLock { queue in
            guard queue.phase != .ended else { return false }
            if let schedule = queue.schedule {
                hand(job, to: schedule, &queue)
                return true
            }
            queue.jobs.append(job)
            // Before the lock is released: the job may end the scope that owns the executor, and nothing here
            // holds it.
            state.wakeOne()
            return true
        }
        if !isOpen { globalConcurrentExecutor.enqueue(job) }
    }

    /// Runs a job that was given to the schedule, in place of one of the threads.
    package func runScheduled(_ job: UnownedJob) {
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        for waiter in state.withLock({ $0.scheduledJobEnded() }) { waiter.resume() }
    }

    private func hand(_ job: UnownedJob, to schedule: any TaskScheduling, _ state: inout State) {
        state.scheduledCount += 1
        schedule.enqueue(job, for: self)
    }

    private func runElsewhere(_ jobs: consuming FIFO<UnownedJob>) {
        while let job = jobs.popFirst() { globalConcurrentExecutor.enqueue(job) }
    }

    private func launch(_ index: Int, into state: inout State) throws(TaskFlowError) {
        let thread = try startThread(named: "\(name) \(index)", niceness: niceness) { self.runJobs() }
        state.threads.append(thread)
        state.alive += 1
    }

    private func runJobs() {
        let executor = unsafe asUnownedTaskExecutor()
        while true {
            switch state.wait(until: { $0.nextStep() }) {
            case .run(let job): unsafe job.runSynchronously(on: executor)
            case .leave(let waiters):
                for waiter in waiters { waiter.resume() }
                return
            }
        }
    }

    /// Collects the threads' exit statuses.
    ///
    /// They have left their last job, so this blocks for microseconds at most.
    private func joinThreads() {
        let threads = state.withLock { state in
            defer { state.threads = [] }
            return state.threads
        }
        for thread in threads { thread.join() }
    }
}

/// Runs `body` with an executor of `threads` threads, and returns when the threads have ended.
///
/// Tasks take it as their preference: `group.addTask(executorPreference: executor)` or
/// `withTaskExecutorPreference`. Await all of them before `body` returns.
///
/// - Throws: what `body` throws, or `thread_not_started`.
public func withThreadExecutor<Output>(
    name: String,
    threads: Int,
    niceness: Int = 0,
    _ body: (ThreadExecutor) async throws -> Output
) async throws -> Output {
    let executor = ThreadExecutor(name: name, threads: threads, niceness: niceness)
    try executor.start()
    do {
        let output = try await body(executor)
        await executor.shutdown()
        return output
    } catch {
        await executor.shutdown()
        throw error
    }
}

extension TaskExecutor {
    /// Runs blocking or CPU-heavy `work` on the executor and returns its result.
    ///
    /// Task-local values and cancellation are those of the caller; `work` may look at `Task.isCancelled`.
    ///
    /// - Throws: what `work` throws.
    public func run<Output: Sendable>(_ work: @Sendable () throws -> Output) async throws -> Output {
        try await withTaskExecutorPreference(self) { try await Self.perform(work) }
    }

    /// Runs `work` on the preferred executor, because a concurrent function leaves the caller's actor.
    @concurrent
    private static func perform<Output: Sendable>(
        _ work: @Sendable () throws -> Output
    ) async throws -> Output {
        try work()
    }
}
