import CalotypeCore
import TaskFlow

/// Background work that outlives the loads that start it: one group of tasks, limited in number.
///
/// The pipeline's scope waits for the work when it ends normally, and otherwise cancels and awaits it.
final class BackgroundWork: Sendable {
    /// Whether the current task is background work, and so holds a place that other work may be waiting for.
    @TaskLocal private static var isWorker = false

    let scope: TaskScope
    private let places = AdmissionGate(capacity: 256)

    init(scope: TaskScope) {
        self.scope = scope
    }

    /// The number of running tasks.
    var taskCount: Int { scope.activeCount }

    /// Starts `operation` as soon as a place is free.
    ///
    /// Work that starts more work does not wait. If no place is free, the new work runs inside the work that
    /// starts it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the operation starts; `scope_ended`.
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
    /// The work runs at background priority with the caller's task-local values. When the pipeline's scope
    /// ends normally, it waits for the work. If the scope throws or is cancelled, it cancels the work and
    /// awaits it. At most 256 pieces of work run at a time. Beyond that limit, this method waits; if
    /// background work calls it, the new work runs inside the caller instead.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers and traces.
    ///   - operation: The work.
    /// - Throws: `CancellationError` if the task is cancelled before the work starts; `pipeline_closed`.
    public func inBackground(
        name: String? = nil,
        _ operation: @escaping @Sendable () async -> Void
    ) async throws {
        do {
            try await background.start(name, operation)
        } catch TaskFlowError.Code.scopeEnded {
            throw Self.closedError
        }
    }
}
