import TaskFlow

/// A server's socket with its connections; get one from ``withHTTPListener(_:answering:_:)``.
public final class HTTPListener: Sendable {
    /// The address that it listens on.
    public let host: String
    /// The port that it listens on, chosen by the system where 0 was asked for.
    public let port: Int
    private let core: ListenerCore

    /// Creates the socket over connections that somebody else accepts.
    package init(host: String, port: Int, core: ListenerCore) {
        self.host = host
        self.port = port
        self.core = core
    }

    /// The number of connections that are open.
    public var openConnections: Int { core.connections.count }
    /// The number of requests whose tasks have not ended; those answered at once have none.
    public var runningRequests: Int { core.tasks.activeCount }

    /// Takes no more connections and requests, waits at most `grace` for the answers under way, and cancels the rest.
    ///
    /// Connections that wait to be accepted are taken before the socket is closed, and a request that has begun to come is
    /// answered. Each answer is the last on its connection; idle connections are closed. A caller that is cancelled waits
    /// no longer.
    public func drain(within grace: Duration) async {
        core.drain()
        let connections = core.connections
        try? await withTimeout(grace) { await connections.waitUntilEmpty() }
        core.stop()
    }
}
