/// What the error of one job means for the others of its group.
public enum JobGroupErrorPolicy: Hashable, Sendable {
    /// The first error cancels the other jobs, and is the group's error.
    case first
    /// The other jobs go on, and the group's error is a `JobGroupErrors` with the errors of all.
    case all
}
