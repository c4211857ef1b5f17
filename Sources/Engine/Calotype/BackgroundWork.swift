import CalotypeCore
import TaskFlow

/// Work that outlives the loads that gave rise to it: one group, at background priority, bounded in number.
///
/// The pipeline's scope waits for it at a normal end, and cancels and awaits it otherwise.
final class BackgroundWork: Sendable {
    /// Whether the current task is one of these, and so has a place that others may be waiting for.
    @TaskLocal private static var isWorker = false

    let scope: TaskScope
    private let places = AdmissionGate(capacity: 256)

    init(scope: TaskScope) {
        self.scope = scope
    }

    /// The tasks under way.
    var taskCount: Int { scope.activeCount }

    /// Starts `operation`, once there is a place for it.
    ///
    /// Work that starts more work does not wait: without a place that is done within the work itself.
    ///
    /// - Throws: `CancellationError` when cancelled before it was started; `TaskScopeEnded`.
    func start(_ name: String?, _ operation: @escaping @Sendable () async -> Void) async throws {
        try Task.checkCancellation()
        guard let place = try await place() else { return await operation() }
        try scope.start(name: name, priority: .background) {
            defer { place.release() }
            await Self.$isWorker.withValue(true, operation: operation)
        }
    }

    private func place() async throws -> Permit? {
        if Self.isWorker { return places.tryAcquire() }
        return try await places.acquire()
    }
}

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
