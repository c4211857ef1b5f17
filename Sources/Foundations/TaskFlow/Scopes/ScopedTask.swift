/// A handle on one task of a scope.
public struct ScopedTask: Sendable {
    let task: Task<Void, Never>

    /// Cancels the task; the scope still awaits it.
    ///
    /// A second call changes nothing.
    public func cancel() {
        task.cancel()
    }

    /// Raises the task's priority, if it is lower.
    public func escalate(to priority: TaskPriority) {
        task.escalatePriority(to: priority)
    }
}
