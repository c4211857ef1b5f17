import CalotypeCore
import TaskFlow

extension ImagePipeline {
    /// Starts work that outlives its caller, such as writing a log, as a child of the pipeline's scope.
    ///
    /// It runs at background priority and with the caller's task-local values. When the pipeline's scope ends normally,
    /// it is waited for; when the scope throws or is cancelled, it is cancelled; it is awaited either way. At most 256 run
    /// at a time: with more, this waits, unless it is called from such work, within which it then runs.
    ///
    /// - Parameters:
    ///   - name: Of the task, for debuggers and traces.
    ///   - operation: The work.
    /// - Throws: `CancellationError` when cancelled before the work was started; `pipeline_closed`.
    public func inBackground(
        name: String? = nil,
        _ operation: @escaping @Sendable () async -> Void
    ) async throws {
        do {
            try await background.start(name, operation)
        } catch is TaskScopeEnded {
            throw Self.closedError
        }
    }
}
