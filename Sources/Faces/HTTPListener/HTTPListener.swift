public import CalotypeFiles
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

/// Runs `body` with a listener whose requests `responder` answers, and returns when all connections are closed and all
/// tasks have ended.
///
/// Each request that is not answered at once has a task, which is cancelled when its client goes away or the scope ends.
/// A client that closes only its sending side is taken for one that has gone: the two look the same.
///
/// - Parameters:
///   - configuration: Where it listens, and what its clients may cost.
///   - responder: Answers the requests.
///   - body: Uses the listener; requests are answered until it returns or throws.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; `invalid_request` and `connect_failed` where the address cannot be listened on;
///   `ThreadStartError`.
public func withHTTPListener<Output>(
    _ configuration: HTTPListenerConfiguration,
    answering responder: some HTTPResponding,
    _ body: (HTTPListener) async throws -> Output
) async throws -> Output {
    try await withThreadExecutor(name: "http watch", threads: 1) { watching in
        try await withThreadExecutor(name: "http listener", threads: 1) { serving in
            let inbox = try LoopInbox()
            defer { inbox.close() }
            let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
            let watch: ConnectionWatch
            do {
                watch = try ConnectionWatch(socket)
            } catch {
                socket.close()
                throw error
            }
            defer { watch.close() }
            let core = ListenerCore(configuration, responder, TaskScope(), watch, inbox)
            let daemon = try MHDDaemon(core)
            let listener = HTTPListener(host: configuration.host, port: socket.port, core: core)
            let result = await run(core, daemon, watch, (watching, serving)) { try await body(listener) }
            // Closes many connections perhaps, on a thread that may be blocked.
            try? await serving.run { daemon.stop() }
            return try result.get()
        }
    }
}

/// Lets both loops work while `body` runs, each on a thread of its own, and ends what is under way after it.
private func run<Output>(
    _ core: ListenerCore,
    _ daemon: MHDDaemon,
    _ watch: ConnectionWatch,
    _ threads: (watching: ThreadExecutor, serving: ThreadExecutor),
    _ body: () async throws -> Output
) async -> Result<Output, any Error> {
    let watching = TaskScope(executor: threads.watching)
    let serving = TaskScope(executor: threads.serving)
    let result: Result<Output, any Error> = await withTaskCancellationHandler {
        do {
            try serving.start(name: "http listener") { daemon.run() }
            try watching.start(name: "http watch") { watch.run(core) }
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    } onCancel: {
        core.tasks.cancelAll()
    }
    await core.end()
    // From here on nothing begins.
    watch.end()
    await watching.end(.drain)
    core.inbox.end()
    await serving.end(.drain)
    return result
}

/// Where a listener listens, and what its clients may cost.
public struct HTTPListenerConfiguration: Hashable, Sendable {
    /// The address to listen on, IPv4 or IPv6, or `localhost`; 127.0.0.1 by default.
    ///
    /// `::` takes IPv4 clients too.
    public var host = "127.0.0.1"
    /// The port, 8080 by default; 0 lets the system choose one.
    public var port = 8080
    /// The most connections at a time, 2,048 by default; more are not accepted until some have ended.
    public var connections = 2048
    /// The file descriptors of the process that connections never take, 0 by default: what the answers need, such as connections
    /// to other servers.
    ///
    /// Where no more than these are free, no connection is accepted until some have ended, as with ``connections``.
    public var reservedDescriptors = 0
    /// The most connections at a time from one address; 0, the default, for as many as there are.
    ///
    /// More are closed at once. IPv6 addresses that share their first 64 bits count as one.
    public var connectionsPerAddress = 0
    /// The longest request line, 16 KiB by default; a longer one is answered with 414.
    public var requestLine = ByteCount.kibibytes(16)
    /// The most bytes of the request line and all header fields, 32 KiB by default; more are answered with 431.
    public var headerBytes = ByteCount.kibibytes(32)
    /// The most header fields, 100 by default; more are answered with 431.
    public var headerCount = 100
    /// The most bytes of a request's body, 16 MiB by default; more are answered with 413.
    ///
    /// ``HTTPResponding/bodyLimit(for:)`` may give another limit for a request.
    public var bodyBytes = ByteCount.mebibytes(16)
    /// The longest time in which a client sends nothing and takes nothing, 10 s by default; then its connection is closed.
    ///
    /// The time in which it waits for an answer does not count.
    public var idleTimeout = Duration.seconds(10)
    /// The fewest bytes a second that a client has to send of a body or to take of an answer, on average over
    /// ``idleTimeout``, 100 by default; a slower one counts as idle.
    public var slowestRate = ByteCount(100)
    /// The longest wait for the next request on a connection that had one, 90 s by default.
    public var keepAliveTimeout = Duration.seconds(90)
    /// The most time for the head of a request from its first byte on, 10 s by default; then it is answered with 408.
    public var headTimeout = Duration.seconds(10)
    /// What the answers' `Server` field says; none is sent where it is empty.
    public var name = "calotype"

    /// Creates the default configuration.
    public init() {}
}
