import CalotypeFiles
import CalotypePlatform
import Synchronization
package import TaskFlow

/// The state that the parts of a listener share.
package final class ListenerCore: Sendable {
    let configuration: HTTPListenerConfiguration
    let rules: HeadRules
    let responder: any HTTPResponding
    /// The responder, if it prepares responses.
    let preparing: (any PreparedResponding)?
    /// The tasks of the requests.
    package let tasks: TaskScope
    package let connections = ConnectionTable()
    private let watch: any ConnectionWatching
    package let limits: ClientPatience.Limits
    /// Descriptors from this number on are reserved and never used for connections.
    let firstReserved: Int
    private let draining = Atomic(false)
    private let stopping = Atomic(false)

    package init(
        _ configuration: HTTPListenerConfiguration,
        _ responder: any HTTPResponding,
        _ tasks: TaskScope,
        _ watch: any ConnectionWatching
    ) {
        self.configuration = configuration
        self.responder = responder
        preparing = responder as? any PreparedResponding
        self.tasks = tasks
        self.watch = watch
        rules = HeadRules(configuration: configuration)
        limits = Self.limits(configuration)
        let others = DescriptorLimit.current - configuration.reservedDescriptors
        firstReserved = max(min(others, DescriptorLimit.firstReserved), 0)
    }

    var name: String { configuration.name }
    /// Whether every response ends its connection.
    package var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }
    /// Whether no more work may start.
    package var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

    private static func limits(_ configuration: HTTPListenerConfiguration) -> ClientPatience.Limits {
        let seconds = configuration.idleTimeout.components
        let idle = Double(seconds.seconds) + Double(seconds.attoseconds) / 1e18
        let bytes = (Double(configuration.slowestRate.bytes) * idle).rounded(.up)
        return ClientPatience.Limits(
            idle: configuration.idleTimeout,
            keepAlive: configuration.keepAliveTimeout,
            head: configuration.headTimeout,
            idleBytes: UInt64(max(1, min(bytes, 1e15)))
        )
    }

    /// Returns the prepared response for a target as received, if there is one.
    func prepared(for target: UnsafePointer<CChar>) -> PreparedResponse? {
        guard let preparing else { return nil }
        return unsafe preparing.prepared(for: UnsafeRawBufferPointer(start: target, count: strlen(target)))
    }

    /// Stops accepting connections, and closes idle ones.
    func drain() {
        draining.store(true, ordering: .sequentiallyConsistent)
        watch.stopAccepting()
        responder.drainBegan()
    }

    /// Cancels the work in progress and lets no more start.
    func stop() {
        stopping.store(true, ordering: .sequentiallyConsistent)
        drain()
        tasks.cancelAll()
        // Anything suspended from now on began before the store, and this loop finds it.
        for client in connections.clients { client.abandon() }
    }

    /// Cancels the work in progress, and returns when all tasks have ended.
    package func end() async {
        stop()
        await tasks.end(.cancel)
    }

    /// Handles a connection that the library is about to close.
    package func connectionCloses(_ client: ClientConnection) {
        if let descriptor = client.closing() {
            if isStopping || !watch.linger(descriptor) { close(descriptor) }
        }
        connectionRefused(client)
    }

    /// Handles a connection that the library closed without accepting it.
    func connectionRefused(_ client: ClientConnection) {
        client.inbox.connectionEnded()
        connections.remove(client)
        watch.connectionEnded()
    }
}

/// The open connections, and their number for each address.
package final class ConnectionTable: Sendable {
    private struct State {
        var clients: [Int32: ClientConnection] = [:]
        var perAddress: [[UInt8]: Int] = [:]
        var emptyWaiters: [CheckedContinuation<Void, Never>] = []

        mutating func remove(_ descriptor: Int32) {
            guard let client = clients.removeValue(forKey: descriptor) else { return }
            let left = (perAddress[client.address.group] ?? 1) - 1
            perAddress[client.address.group] = left > 0 ? left : nil
        }
    }

    private let state = Guarded(State())

    package var count: Int { state.withLock { $0.clients.count } }
    var clients: [ClientConnection] { state.withLock { Array($0.clients.values) } }

    subscript(descriptor: Int32) -> ClientConnection? {
        state.withLock { $0.clients[descriptor] }
    }

    /// Adds a connection.
    ///
    /// Returns `false` if its address already has `limit` connections; 0 means no limit.
    package func insert(_ client: ClientConnection, limit: Int) -> Bool {
        state.withLock { state in
            // A descriptor can appear again if the library closed it without a callback, for example when
            // memory ran out.
            state.remove(client.descriptor)
            let count = state.perAddress[client.address.group] ?? 0
            guard limit == 0 || count < limit else { return false }
            state.clients[client.descriptor] = client
            state.perAddress[client.address.group] = count + 1
            return true
        }
    }

    func remove(_ client: ClientConnection) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.clients[client.descriptor] === client else { return [] }
            state.remove(client.descriptor)
            guard state.clients.isEmpty else { return [] }
            defer { state.emptyWaiters = [] }
            return state.emptyWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Wakes the tasks that wait for the last connection to end, although it has not ended.
    func giveUpWaiting() {
        let waiters = state.withLock { state in
            defer { state.emptyWaiters = [] }
            return state.emptyWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until no connection is open.
    ///
    /// Returns immediately if the task is cancelled.
    func waitUntilEmpty() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    guard !state.clients.isEmpty, !Task.isCancelled else { return true }
                    state.emptyWaiters.append(waiter)
                    return false
                }
                if isOver { waiter.resume() }
            }
        } onCancel: {
            giveUpWaiting()
        }
    }
}
