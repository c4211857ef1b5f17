/// Whom to tell that a flight has become more or less urgent, and to do so outside the lock.
struct UrgencyNotice: Sendable {
    let observers: [LivePriority.Observer]
    let task: ScopedTask?
    let priority: WorkPriority

    func send() {
        for observer in observers { observer() }
        task?.escalate(to: priority.taskPriority)
    }
}
