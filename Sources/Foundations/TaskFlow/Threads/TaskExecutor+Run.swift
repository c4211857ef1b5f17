extension TaskExecutor {
    /// Runs blocking or CPU-heavy `work` on the executor and returns its result.
    ///
    /// Task-local values and cancellation are those of the caller; `work` may look at `Task.isCancelled`.
    ///
    /// - Throws: what `work` throws.
    public func run<Output: Sendable>(_ work: @Sendable () throws -> Output) async throws -> Output {
        try await withTaskExecutorPreference(self) { try await Self.perform(work) }
    }

    /// Concurrent, so that it leaves the caller's actor for the preferred executor.
    @concurrent
    private static func perform<Output: Sendable>(
        _ work: @Sendable () throws -> Output
    ) async throws -> Output {
        try work()
    }
}
