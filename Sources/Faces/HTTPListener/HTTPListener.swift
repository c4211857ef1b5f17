public import CalotypeFiles
internal import CalotypePlatform
import TaskFlow

/// A listening socket with its connections; create one with ``withHTTPListener(_:answering:_:)``.
public final class HTTPListener: Sendable {
    /// The address of the listener.
    public let host: String
    /// The port of the listener; the system chose it if the configuration says 0.
    public let port: Int
    private let core: ListenerCore

    /// Creates a listener for connections that other code accepts.
    package init(host: String, port: Int, core: ListenerCore) {
        self.host = host
        self.port = port
        self.core = core
    }

    /// The number of connections that are open.
    public var openConnections: Int { core.connections.count }
    /// The number of requests whose tasks have not ended; requests with an immediate response have no task.
    public var runningRequests: Int { core.tasks.activeCount }

    /// Stops accepting connections and requests, finishes the responses in progress, and cancels the rest.
    ///
    /// Responses have up to `grace` to finish. Connections that wait to be accepted are accepted before the
    /// socket closes, and a request that has started to arrive gets a response. Each response is the last on
    /// its connection, and idle connections are closed. If the caller is cancelled, it stops waiting.
    public func drain(within grace: Duration) async {
        core.drain()
        let connections = core.connections
        try? await withTimeout(grace) { await connections.waitUntilEmpty() }
        core.stop()
    }
}

/// Runs `body` with a listener that passes requests to `responder`.
///
/// The call returns when all connections are closed and all tasks have ended. Each request without an
/// immediate response has a task, which is cancelled when its client disconnects or the scope ends. A client
/// that closes only its sending side counts as disconnected, because the two look the same.
///
/// - Parameters:
///   - configuration: The address to listen on, and the limits for clients.
///   - responder: Responds to the requests.
///   - body: Uses the listener, which responds until `body` returns or throws.
/// - Returns: What `body` returns.
/// - Throws: Any error from `body`; `invalid_request` and `connect_failed` if the listener cannot listen on
///   the address; `thread_not_started`.
public func withHTTPListener<Output>(
    _ configuration: HTTPListenerConfiguration,
    answering responder: some HTTPResponding,
    _ body: (HTTPListener) async throws -> Output
) async throws -> Output {
    try await withThreadExecutor(name: "http watch", threads: 1) { watching in
        try await withThreadExecutor(name: "http listener", threads: configuration.threads) { serving in
            let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
            let watch: ConnectionWatch
            do {
                watch = try ConnectionWatch(socket)
            } catch {
                socket.close()
                throw error
            }
            defer { watch.close() }
            let core = ListenerCore(configuration, responder, TaskScope(), watch)
            // The system may have created fewer threads, and a daemon without one would never serve.
            let daemons = try MHDDaemon.start(serving.liveThreadCount, core)
            let listener = HTTPListener(host: configuration.host, port: socket.port, core: core)
            let result = await run(core, daemons, watch, (watching, serving)) { try await body(listener) }
            // May close many connections, on a thread that may block.
            try? await serving.run { for daemon in daemons { daemon.stop() } }
            return try result.get()
        }
    }
}

/// Runs each loop on a thread of its own while `body` runs, and then ends all work in progress.
private func run<Output>(
    _ core: ListenerCore,
    _ daemons: [MHDDaemon],
    _ watch: ConnectionWatch,
    _ threads: (watching: ThreadExecutor, serving: ThreadExecutor),
    _ body: () async throws -> Output
) async -> Result<Output, any Error> {
    let watching = TaskScope(executor: threads.watching)
    let serving = TaskScope(executor: threads.serving)
    let result: Result<Output, any Error> = await withTaskCancellationHandler {
        do {
            for daemon in daemons { try serving.start(name: "http listener") { daemon.run() } }
            let inboxes = daemons.map(\.inbox)
            try watching.start(name: "http watch") { watch.run(core, inboxes) }
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    } onCancel: {
        core.tasks.cancelAll()
    }
    await core.end()
    // No work starts after this.
    watch.end()
    await watching.end(.drain)
    for daemon in daemons { daemon.inbox.end() }
    await serving.end(.drain)
    return result
}

/// The address of a listener, and the limits for its clients.
public struct HTTPListenerConfiguration: Hashable, Sendable {
    /// The address to listen on, IPv4 or IPv6, or `localhost`; 127.0.0.1 by default.
    ///
    /// `::` accepts IPv4 clients too.
    public var host = "127.0.0.1"
    /// The port, 8080 by default; 0 lets the system choose one.
    public var port = 8080
    /// The number of threads that read requests and send responses; by default one for every two processors, up
    /// to four.
    ///
    /// Each connection belongs to one of them.
    public var threads = min(max(1, Platform.processorCount / 2), 4)
    /// The maximum number of connections, 2,048 by default; more wait until some have ended.
    public var connections = 2048
    /// The number of file descriptors reserved for other work, 0 by default.
    ///
    /// Connections never take these descriptors, which responses may need, for example for connections to
    /// other servers. If no more than these are free, the listener accepts no connection until some have
    /// ended, as with ``connections``.
    public var reservedDescriptors = 0
    /// The maximum number of connections from one address; 0, the default, means no limit.
    ///
    /// The listener closes further connections immediately. IPv6 addresses that share their first 64 bits
    /// count as one.
    public var connectionsPerAddress = 0
    /// The maximum length of the request line, 16 KiB by default; a longer one gets a 414.
    public var requestLine = ByteCount.kibibytes(16)
    /// The maximum size of the request line and all header fields, 16 KiB by default; more gets a 431.
    ///
    /// Each connection has about twice as much memory, all of which is cleared for each request.
    public var headerBytes = ByteCount.kibibytes(16)
    /// The maximum number of header fields, 100 by default; more gets a 431.
    public var headerCount = 100
    /// The maximum size of a request's body, 16 MiB by default; more gets a 413.
    ///
    /// ``HTTPResponding/bodyLimit(for:)`` may return another limit for a request.
    public var bodyBytes = ByteCount.mebibytes(16)
    /// The time after which an inactive connection is closed, 10 s by default.
    ///
    /// A connection is inactive while its client neither sends nor receives. The time that a client waits for
    /// a response does not count.
    public var idleTimeout = Duration.seconds(10)
    /// The minimum rate in bytes per second for sending a body or receiving a response, 100 by default.
    ///
    /// It is averaged over ``idleTimeout``; a slower client counts as inactive.
    public var slowestRate = ByteCount(100)
    /// The maximum wait for the next request on a connection that already had one, 90 s by default.
    public var keepAliveTimeout = Duration.seconds(90)
    /// The maximum time for the head of a request from its first byte, 10 s by default; then it gets a 408.
    public var headTimeout = Duration.seconds(10)
    /// The value of the `Server` field in responses; empty to omit the field.
    public var name = "calotype"

    /// Creates the default configuration.
    public init() {}
}
