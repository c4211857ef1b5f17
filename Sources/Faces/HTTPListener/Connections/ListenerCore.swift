import CalotypeFiles
import Glibc
import Synchronization
package import TaskFlow

/// What the parts of a listener share.
package final class ListenerCore: Sendable {
    let configuration: HTTPListenerConfiguration
    let rules: HeadRules
    let responder: any HTTPResponding
    /// The tasks of the requests.
    package let tasks: TaskScope
    package let connections = ConnectionTable()
    private let watch: any ConnectionWatching
    /// What there is to do for the library's thread.
    let inbox: LoopInbox
    package let limits: ClientPatience.Limits
    /// Descriptors from this number on are not for connections.
    let firstReserved: Int
    private let draining = Atomic(false)
    private let stopping = Atomic(false)

    package init(
        _ configuration: HTTPListenerConfiguration,
        _ responder: any HTTPResponding,
        _ tasks: TaskScope,
        _ watch: any ConnectionWatching,
        _ inbox: LoopInbox
    ) {
        self.configuration = configuration
        self.responder = responder
        self.tasks = tasks
        self.watch = watch
        self.inbox = inbox
        rules = HeadRules(configuration: configuration)
        limits = Self.limits(configuration)
        let reserved = configuration.reservedDescriptors
        firstReserved = reserved > 0 ? max(DescriptorLimit.current - reserved, 0) : .max
    }

    var name: String { configuration.name }
    /// Whether every answer ends its connection.
    package var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }
    /// Whether nothing is begun any more.
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

    /// Takes no more connections, and ends those that are idle.
    func drain() {
        draining.store(true, ordering: .sequentiallyConsistent)
        watch.stopAccepting()
        responder.drainBegan()
    }

    /// Cancels what is under way, and lets nothing begin.
    func stop() {
        stopping.store(true, ordering: .sequentiallyConsistent)
        drain()
        tasks.cancelAll()
        // Whatever is suspended from now on was begun before the store, and is found here.
        for client in connections.clients { client.abandon() }
    }

    /// Cancels what is under way, and returns when all tasks have ended.
    package func end() async {
        stop()
        await tasks.end(.cancel)
    }

    /// The library is about to close the connection.
    package func connectionCloses(_ client: ClientConnection) {
        if let descriptor = client.closing() {
            if isStopping || !watch.linger(descriptor) { close(descriptor) }
        }
        connectionRefused(client)
    }

    /// The library has closed the connection without taking it.
    func connectionRefused(_ client: ClientConnection) {
        connections.remove(client)
        watch.connectionEnded()
    }
}

/// The connections that are open, and how many there are from each address.
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

    /// Keeps a connection; false where its address has `limit` of them already, 0 being no limit.
    package func insert(_ client: ClientConnection, limit: Int) -> Bool {
        state.withLock { state in
            // A descriptor that comes again was closed without a word, as where memory ran out.
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

    /// Wakes those who wait for the last connection to end, although it has not.
    func giveUpWaiting() {
        let waiters = state.withLock { state in
            defer { state.emptyWaiters = [] }
            return state.emptyWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until no connection is open; returns at once in a task that is cancelled.
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
