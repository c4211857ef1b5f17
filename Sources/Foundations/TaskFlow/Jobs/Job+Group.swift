extension Job {
    /// A job that runs others at the same time, and ends when all of them have.
    ///
    /// Cancelling its run cancels them. A group without jobs succeeds.
    ///
    /// - Parameters:
    ///   - jobs: What to run.
    ///   - width: How many run at a time, at least one; all of them when `nil`. They start in their order.
    ///   - errors: `.first`, unless given, cancels the others at the first error and throws it; `.all` lets the others
    ///     go on and throws `JobGroupErrors`, or `CancellationError` when a cancellation ended any.
    /// - Returns: A job whose output is theirs, in their order.
    public static func group<Child: Sendable>(
        _ jobs: [Job<Child>],
        width: Int? = nil,
        errors: JobGroupErrorPolicy = .first
    ) -> Job<[Child]> where Output == [Child] {
        Job<[Child]> {
            var run = JobGroupRun(jobs: jobs, width: width, errors: errors)
            return try await run.outputs()
        }
    }
}

extension Job<Void> {
    /// A job that runs others at the same time, and ends when all of them have.
    ///
    /// Cancelling its run cancels them. A group without jobs succeeds.
    ///
    /// - Parameters:
    ///   - jobs: What to run.
    ///   - width: How many run at a time, at least one; all of them when `nil`. They start in their order.
    ///   - errors: `.first`, unless given, cancels the others at the first error and throws it; `.all` lets the others
    ///     go on and throws `JobGroupErrors`, or `CancellationError` when a cancellation ended any.
    /// - Returns: A job without output.
    public static func group(
        _ jobs: [Job<Void>],
        width: Int? = nil,
        errors: JobGroupErrorPolicy = .first
    ) -> Job<Void> {
        Job<[Void]>.group(jobs, width: width, errors: errors).map { _ in }
    }
}
