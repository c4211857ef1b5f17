import CalotypeCore
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
    /// The answers that come without one.
    let laterAnswers = LaterAnswers()
    package let connections = ConnectionTable()
    private let watch: any ConnectionWatching
    /// Wakes the library's thread.
    let wakeUp: WakeUp
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
        _ wakeUp: WakeUp
    ) {
        self.configuration = configuration
        self.responder = responder
        self.tasks = tasks
        self.watch = watch
        self.wakeUp = wakeUp
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

    /// Cancels what is under way, and returns when all answers and tasks have ended.
    package func end() async {
        stop()
        // They come soon, and one of them may still ask for a task, which is refused.
        await laterAnswers.close()
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
