/// The work of one flight: what it knows of its waiters, and the task to cancel when nobody waits any more.
final class FlightWork: Sendable {
    private struct Handle {
        var task: ScopedTask?
        var isAbandoned = false
    }

    let id: OpenFlight.ID
    /// The highest and the earliest of the waiters.
    let priority: LivePriority
    /// That of the caller that started it.
    let trace: TaskTrace.Context?
    private let handle = Guarded(Handle())

    init(_ id: OpenFlight.ID, _ urgency: Urgency, _ trace: TaskTrace.Context?) {
        self.id = id
        priority = LivePriority(urgency)
        self.trace = trace
    }

    /// Keeps the handle of the task, which was started with this priority.
    ///
    /// What became of the flight before there was a handle is done to the task now.
    func attach(_ task: ScopedTask, startedAt start: WorkPriority) {
        let isAbandoned = handle.withLock { handle in
            handle.task = task
            return handle.isAbandoned
        }
        if isAbandoned { task.cancel() }
        if priority.current > start { task.escalate(to: priority.current.taskPriority) }
    }

    /// Takes the urgency of the present waiters, and says whom to tell; nil when nothing has changed.
    func become(_ urgency: Urgency) -> UrgencyNotice? {
        guard priority.urgency != urgency else { return nil }
        return UrgencyNotice(work: self, observers: priority.change { $0 = urgency })
    }

    /// Cancels the task.
    func abandon() {
        let task = handle.withLock { handle in
            handle.isAbandoned = true
            return handle.task
        }
        task?.cancel()
    }

    /// Raises the task to the priority of the waiters, if that is higher.
    func escalate() {
        let task = handle.withLock { $0.task }
        task?.escalate(to: priority.current.taskPriority)
    }
}
