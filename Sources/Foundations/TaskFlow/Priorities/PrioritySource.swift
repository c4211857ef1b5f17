/// Where a waiter's priority and deadline come from.
enum PrioritySource: Sendable {
    case fixed(WorkPriority)
    case live(LivePriority)

    var urgency: Urgency {
        switch self {
        case .fixed(let priority): Urgency(priority)
        case .live(let live): live.urgency
        }
    }

    /// Calls `body` on each change while `work` runs.
    func observed<Output>(
        by body: @escaping @Sendable () -> Void,
        during work: () async throws -> Output
    ) async throws -> Output {
        guard case .live(let live) = self else { return try await work() }
        let id = live.addObserver(body)
        defer { live.removeObserver(id) }
        return try await work()
    }
}
