import CalotypeCore
import TaskFlow

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
            let wakeUp = try WakeUp()
            defer { wakeUp.close() }
            let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
            let watch: ConnectionWatch
            do {
                watch = try ConnectionWatch(socket)
            } catch {
                socket.close()
                throw error
            }
            defer { watch.close() }
            let core = ListenerCore(configuration, responder, TaskScope(), watch, wakeUp)
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
            try watching.start(name: "http watch") { watch.run(core, daemon) }
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    } onCancel: {
        core.tasks.cancelAll()
    }
    await core.end()
    // From here on nothing is suspended: whatever was has been resumed, and nothing begins.
    watch.end()
    await watching.end(.drain)
    daemon.end()
    await serving.end(.drain)
    return result
}
