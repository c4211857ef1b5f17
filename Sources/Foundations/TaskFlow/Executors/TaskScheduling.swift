internal import Glibc
internal import Synchronization

/// What runs all tasks that start on one thread, in tests that choose the order of all jobs.
///
/// The seam of `TaskFlowTesting`: nothing else implements it.
package protocol TaskScheduling: Sendable {
    /// Takes a job that `executor` would give to one of its threads.
    func enqueue(_ job: UnownedJob, for executor: ThreadExecutor)

    /// Takes a job that `executor` would give to its queue.
    func enqueue(_ job: UnownedJob, for executor: QueueExecutor)

    /// Notes that a thread of that name starts, which the schedule cannot hold.
    func threadStarts(_ name: String)

    /// Counts a state that `sometimes` reports.
    func reached(_ state: String)

    /// Runs what other threads could do while the calling one is held up at `place`.
    func pause(_ place: String)
}

/// The schedule of the process, if a test runs one.
package enum TaskSchedule {
    /// The thread of the schedule, zero if there is none.
    private static let thread = Atomic<UInt>(0)
    private static let installed = Guarded<(any TaskScheduling)?>(nil)
    private static let locks = Atomic(0)

    /// The schedule, on its own thread; nil on all others.
    package static var current: (any TaskScheduling)? {
        isCurrent ? installed.withLock(\.self) : nil
    }

    /// Whether the calling thread is the one of the schedule.
    package static var isCurrent: Bool {
        let thread = thread.load(ordering: .relaxed)
        return thread != 0 && thread == UInt(pthread_self())
    }

    /// How many locks the thread of the schedule holds; counted in debug builds.
    package static var heldLocks: Int { locks.load(ordering: .relaxed) }

    /// A place within blocking work at which the system may hold the thread up while others go on.
    ///
    /// Does nothing outside of schedules, nor while the thread holds a lock. It must not be called where others would wait for
    /// this thread in any other way.
    package static func pause(_ place: @autoclosure () -> String) {
        if let schedule = current, heldLocks == 0 { schedule.pause(place()) }
    }

    /// Makes the calling thread the one of `schedule`, or of none again.
    package static func install(_ schedule: (any TaskScheduling)?) {
        installed.withLock { $0 = schedule }
        locks.store(0, ordering: .relaxed)
        thread.store(schedule == nil ? 0 : UInt(pthread_self()), ordering: .relaxed)
    }

    /// Counts a lock that is taken or given back by the calling thread.
    static func changeLocks(by change: Int) {
        if isCurrent { locks.wrappingAdd(change, ordering: .relaxed) }
    }
}

/// Counts how often a scenario reaches a state that its tests must reach somewhere, such as
/// `sometimes("cancelled between rename and sync")`.
///
/// Does nothing but look at a flag outside the schedules of `TaskFlowTesting`; the scenario names the states.
public func sometimes(_ state: @autoclosure () -> String) {
    TaskSchedule.current?.reached(state())
}
