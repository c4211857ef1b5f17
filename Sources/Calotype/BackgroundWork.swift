import TaskFlow

/// Work that outlives the loads that gave rise to it: one group, at background priority, bounded in number.
///
/// The pipeline's scope waits for it at a normal end, and cancels and awaits it otherwise.
final class BackgroundWork: Sendable {
    let scope: TaskScope
    private let places = AdmissionGate(capacity: 256)

    init(scope: TaskScope) {
        self.scope = scope
    }

    /// The tasks under way.
    var taskCount: Int { scope.activeCount }

    /// Starts `operation`, once there is a place for it.
    ///
    /// - Throws: `CancellationError` when cancelled before it was started; `TaskScopeEnded`.
    func start(_ name: String?, _ operation: @escaping @Sendable () async -> Void) async throws {
        let place = try await places.acquire()
        try scope.start(name: name, priority: .background) {
            defer { place.release() }
            await operation()
        }
    }
}
