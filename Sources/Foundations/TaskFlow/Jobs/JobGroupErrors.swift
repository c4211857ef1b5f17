/// All that went wrong in a group that was asked for every error.
public struct JobGroupErrors: Error, Sendable, CustomStringConvertible {
    /// The error of one job.
    public struct Failure: Sendable {
        /// The place of the job in the group, from zero.
        public let index: Int
        /// What it threw.
        public let error: any Error
    }

    /// The errors by the place of their jobs, at least one.
    public let failures: [Failure]
    /// How many jobs the group had.
    public let jobCount: Int

    /// How many failed, and the errors.
    public var description: String {
        "\(failures.count) of \(jobCount) jobs failed: "
            + failures.map { "[\($0.index)] \($0.error)" }.joined(separator: "; ")
    }
}
