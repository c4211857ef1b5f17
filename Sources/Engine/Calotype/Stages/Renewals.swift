import TaskFlow

/// Pictures that were given although they are stale, and whose origins are asked meanwhile; each at most once at a time.
final class Renewals: Sendable {
    /// More are not begun: the next request for the picture asks then.
    private static let limit = 64

    private let scope: TaskScope
    private let keys = Guarded<Set<RenditionKey>>([])

    /// Creates the list; `scope` cancels and awaits what was started.
    init(scope: TaskScope) {
        self.scope = scope
    }

    /// Runs `work`, unless it runs for this picture already.
    func start(_ key: RenditionKey, _ work: @escaping @Sendable () async -> Void) {
        let key = key.stored
        let isNew = keys.withLock { $0.count < Self.limit && $0.insert(key).inserted }
        guard isNew else { return }
        do {
            try scope.start(name: "renew", priority: .background) { [keys] in
                await work()
                keys.withLock { _ = $0.remove(key) }
            }
        } catch {
            // The pipeline's scope has ended: the picture is as stale as before.
            keys.withLock { _ = $0.remove(key) }
        }
    }
}
