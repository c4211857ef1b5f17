internal import CalotypeCTaskHooks
internal import CalotypePlatform
internal import TaskFlow

/// Runs jobs one at a time, on the thread that calls `run`, in the order that a policy decides.
final class Schedule: TaskExecutor {
    /// Where a job must run, which limits what may overtake it.
    enum Lane {
        /// The pool: any order.
        case pool
        case main
        /// As many of the oldest jobs as there are threads. The system may delay each of them.
        case threads(ThreadExecutor)
        /// The oldest job of each queue, unless the queue is one of the system's.
        case queue(QueueExecutor)
    }

    struct Entry {
        let job: UnownedJob
        /// The number of the task, in the order of first appearance.
        ///
        /// 0 for an actor that resumes its waiting jobs.
        let task: Int
        let lane: Lane
        /// The addresses of the functions that continue, the innermost first.
        let resumptions: [UInt]
    }

    private struct Sleeper {
        let time: Int64
        let order: Int
        let entry: Entry
    }

    private struct State {
        var waiting: [Entry] = []
        /// The running job, and before it the jobs that it has interrupted.
        var running: [Entry] = []
        var chooser = ScheduleChooser(.firstInFirstOut, seed: 0)
        var sleepers: [Sleeper] = []
        var sleeperCount = 0
        var log = ScheduleLog()
        /// A description of the first thing that escaped from the schedule.
        var escape: String?
    }

    /// Whether it records everything that a story reports, not only the decisions.
    let recordsAll: Bool
    private let state: Guarded<State>

    init(recordsAll: Bool) {
        self.recordsAll = recordsAll
        var log = ScheduleLog()
        log.recordsAll = recordsAll
        state = Guarded(State(log: log))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        add(UnownedJob(job), .pool)
    }

    func add(_ job: UnownedJob, _ lane: Lane) {
        let locks = TaskSchedule.heldLocks
        state.withLock { state in
            let entry = Self.enter(job, lane, locks, &state)
            state.waiting.append(entry)
        }
    }

    func add(_ job: UnownedJob, at time: Int64) {
        let locks = TaskSchedule.heldLocks
        state.withLock { state in
            let entry = Self.enter(job, .pool, locks, &state)
            state.sleeperCount += 1
            state.sleepers.append(Sleeper(time: time, order: state.sleeperCount, entry: entry))
        }
    }

    /// Whether the job belongs to a task that has run here.
    func knows(_ job: UnownedJob) -> Bool {
        job.isTask && state.withLock { $0.log.numbers[job.taskID] != nil }
    }

    func note(_ text: String) {
        state.withLock { $0.log.note(text) }
    }

    func hasThrown() {
        state.withLock { $0.log.hasThrown() }
    }

    func escaped(_ what: String) {
        state.withLock { $0.escape = $0.escape ?? what }
    }

    /// The record of the run.
    var log: ScheduleLog { state.withLock(\.log) }

    /// Runs until nothing can run any more, now or later.
    ///
    /// - Throws: `ScheduleError` if something left the schedule, or if it does not end.
    func run(_ policy: SchedulePolicy, seed: UInt64, stepLimit: Int) throws {
        state.withLock { $0.chooser = ScheduleChooser(policy, seed: seed) }
        var time = Self.beginning
        CTaskHooksSetTime(time)
        defer { CTaskHooksSetTime(-1) }
        for _ in 0..<stepLimit {
            while state.withLock(\.waiting.isEmpty) {
                guard let next = wake() else { return }
                time = max(time, next)
                CTaskHooksSetTime(time)
            }
            perform(state.withLock { Self.take(&$0) })
            if let escape = state.withLock(\.escape) { throw ScheduleError.escaped(escape) }
        }
        throw ScheduleError.endless(steps: stepLimit)
    }

    /// 2023-11-14, for readers of dates.
    private static let beginning: Int64 = 1_700_000_000_000_000_000

    private static func enter(_ job: UnownedJob, _ lane: Lane, _ locks: Int, _ state: inout State) -> Entry {
        let isKnown = job.isTask && state.log.numbers[job.taskID] != nil
        let number = job.isTask ? state.log.number(of: job.taskID) : 0
        if TaskSchedule.isCurrent {
            state.log.nameRunningTask()
            if isKnown, locks > 0 {
                state.escape = state.escape ?? "\(state.log.name(number)) was resumed inside a lock"
            }
        } else {
            let thread = SystemThread.name
            state.escape =
                state.escape ?? "\(state.log.name(number)) was resumed by the thread '\(thread)'"
        }
        return Entry(
            job: job,
            task: number,
            lane: lane,
            resumptions: job.resumptions(state.log.recordsAll ? 4 : 1)
        )
    }

    private static func take(_ state: inout State) -> Entry {
        let ready = ready(state)
        let tasks = ready.map { state.waiting[$0].task }
        let choice = ready.count > 1 ? state.chooser.choose(among: tasks) : 0
        let entry = state.waiting.remove(at: ready[choice])
        state.log.step(entry, choice: choice, among: tasks)
        return entry
    }

    /// Returns the job that interrupts the running one, or `nil` if the running one continues.
    private static func interrupt(_ state: inout State, _ place: String, again: Bool) -> Entry? {
        let ready = ready(state)
        guard let running = state.running.last, !ready.isEmpty, state.running.count < 8 else { return nil }
        let tasks = [running.task] + ready.map { state.waiting[$0].task }
        let choice = state.chooser.interrupt(tasks, isInterrupted: again)
        let entry = choice > 0 ? state.waiting.remove(at: ready[choice - 1]) : nil
        state.log.step(entry ?? running, choice: choice, among: tasks, interrupting: place)
        return entry
    }

    /// Returns the positions of the jobs that may be next, the oldest first.
    private static func ready(_ state: State) -> [Int] {
        if state.waiting.count == 1, state.running.isEmpty { return [0] }
        var taken: [ObjectIdentifier: Int] = [:]
        var main = false
        for entry in state.running {
            switch entry.lane {
            case .pool: break
            case .main: main = true
            case .threads(let executor): taken[ObjectIdentifier(executor), default: 0] += 1
            case .queue(let executor): if let line = executor.line { taken[line, default: 0] += 1 }
            }
        }
        let waiting = state.waiting
        return waiting.indices.filter { index in
            switch waiting[index].lane {
            case .pool: return true
            case .main:
                defer { main = true }
                return !main
            case .threads(let executor):
                taken[ObjectIdentifier(executor), default: 0] += 1
                return taken[ObjectIdentifier(executor), default: 0] <= executor.threadCount
            case .queue(let executor):
                guard let line = executor.line else { return true }
                taken[line, default: 0] += 1
                return taken[line, default: 0] <= 1
            }
        }
    }

    /// Makes the earliest sleepers runnable, and returns their moment, or `nil` if nothing sleeps.
    private func wake() -> Int64? {
        state.withLock { state in
            guard let time = state.sleepers.map(\.time).min() else { return nil }
            let due = state.sleepers.filter { $0.time == time }.sorted { $0.order < $1.order }
            state.sleepers.removeAll { $0.time == time }
            state.waiting += due.map(\.entry)
            return time
        }
    }

    private func perform(_ entry: Entry) {
        state.withLock { $0.running.append(entry) }
        defer { state.withLock { _ = $0.running.popLast() } }
        switch entry.lane {
        case .pool: unsafe entry.job.runSynchronously(on: asUnownedTaskExecutor())
        case .main: unsafe entry.job.runSynchronously(on: MainActor.sharedUnownedExecutor)
        case .threads(let executor): executor.runScheduled(entry.job)
        case .queue(let executor): executor.run(entry.job)
        }
    }
}

extension Schedule: TaskScheduling {
    func enqueue(_ job: UnownedJob, for executor: ThreadExecutor) {
        add(job, .threads(executor))
    }

    func enqueue(_ job: UnownedJob, for executor: QueueExecutor) {
        add(job, .queue(executor))
    }

    func reached(_ name: String) {
        state.withLock { $0.log.reached[name, default: 0] += 1 }
    }

    func pause(_ place: String) {
        var again = false
        while let entry = state.withLock({ Self.interrupt(&$0, place, again: again) }) {
            again = true
            perform(entry)
        }
    }

    func threadStarts(_ name: String) {
        escaped("a thread of its own was started: '\(name)'")
    }
}

extension UnownedJob {
    var address: UnsafeMutableRawPointer { unsafe unsafeBitCast(self, to: UnsafeMutableRawPointer.self) }
    var isTask: Bool { unsafe CTaskHooksIsTask(address) }
    var taskID: UInt64 { unsafe CTaskHooksTaskID(address) }
    func resumptions(_ count: Int) -> [UInt] {
        guard isTask else { return [] }
        return unsafe [UInt](unsafeUninitializedCapacity: count) { buffer, found in
            guard let start = buffer.baseAddress else { return }
            found = unsafe Int(CTaskHooksResumptions(address, start, Int32(count)))
        }
    }
}
