extension Job {
    /// A job that runs others one after another, and stops at the first error.
    ///
    /// Cancelling its run cancels the one that runs and starts none of those after it. A sequence without jobs succeeds.
    ///
    /// - Parameter jobs: What to run, in this order.
    /// - Returns: A job whose output is theirs, in their order.
    public static func sequence<Child: Sendable>(
        _ jobs: [Job<Child>]
    ) -> Job<[Child]> where Output == [Child] {
        Job<[Child]> {
            var outputs: [Child] = []
            for job in jobs { outputs.append(try await job.run()) }
            return outputs
        }
    }
}

extension Job<Void> {
    /// A job that runs others one after another, and stops at the first error.
    ///
    /// Cancelling its run cancels the one that runs and starts none of those after it. A sequence without jobs succeeds.
    ///
    /// - Parameter jobs: What to run, in this order.
    /// - Returns: A job without output.
    public static func sequence(_ jobs: [Job<Void>]) -> Job<Void> {
        Job<Void> {
            for job in jobs { try await job.run() }
        }
    }
}
