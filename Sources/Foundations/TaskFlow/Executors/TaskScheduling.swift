internal import CalotypePlatform
internal import Synchronization

/// Runs all tasks on one thread, in tests that choose the order of all jobs.
///
/// The seam of `TaskFlowTesting`: nothing else implements it.
package protocol TaskScheduling: Sendable {
    /// Takes a job that `executor` would give to one of its threads.
    func enqueue(_ job: UnownedJob, for executor: ThreadExecutor)

    /// Takes a job that `executor` would give to its queue.
    func enqueue(_ job: UnownedJob, for executor: QueueExecutor)

    /// Records that a thread of that name starts, which the schedule cannot control.
    func threadStarts(_ name: String)

    /// Counts a state that `sometimes` reports.
    func reached(_ state: String)

    /// Runs what other threads could do while the calling one is delayed at `place`.
    func pause(_ place: String)
}

/// The schedule of the process, if a test runs one.
package enum TaskSchedule {
    /// The thread of the schedule, zero if there is none.
    private static let thread = Atomic<UInt>(0)
    private static let installed = Guarded<(any TaskScheduling)?>(nil)
    private static let locks = Atomic(0)

    /// The schedule, on its own thread; nil on all other threads.
    package static var current: (any TaskScheduling)? {
        isCurrent ? installed.withLock(\.self) : nil
    }

    /// Whether the calling thread is the schedule's.
    package static var isCurrent: Bool {
        let thread = thread.load(ordering: .relaxed)
        return thread != 0 && thread == SystemThread.current.number
    }

    /// How many locks the thread of the schedule holds; counted in debug builds.
    package static var heldLocks: Int { locks.load(ordering: .relaxed) }

    /// Marks a place within blocking work at which the system may delay the thread while others continue.
    ///
    /// Does nothing outside schedules, or while the thread holds a lock. Don't call it where other threads
    /// would wait for this one in any other way.
    package static func pause(_ place: @autoclosure () -> String) {
        if let schedule = current, heldLocks == 0 { schedule.pause(place()) }
    }

    /// Makes the calling thread the thread of `schedule`, or of no schedule for nil.
    package static func install(_ schedule: (any TaskScheduling)?) {
        installed.withLock { $0 = schedule }
        locks.store(0, ordering: .relaxed)
        thread.store(schedule == nil ? 0 : SystemThread.current.number, ordering: .relaxed)
    }

    /// Counts a lock that the calling thread takes or releases.
    static func changeLocks(by change: Int) {
        if isCurrent { locks.wrappingAdd(change, ordering: .relaxed) }
    }
}

/// Counts how often a scenario reaches a state that its tests must reach somewhere.
///
/// An example is `sometimes("cancelled between rename and sync")`. Outside the schedules of `TaskFlowTesting`
/// it only checks a flag; the scenario names the states.
public func sometimes(_ state: @autoclosure () -> String) {
    TaskSchedule.current?.reached(state())
}
