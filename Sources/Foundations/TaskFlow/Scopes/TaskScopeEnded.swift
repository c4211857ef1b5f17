/// A task was started in a scope that had been cancelled or had ended.
public struct TaskScopeEnded: Error, Hashable, Sendable, CustomStringConvertible {
    /// Creates the error.
    public init() {}

    /// What happened, for people.
    public var description: String { "the scope that owns this work has ended" }
}
