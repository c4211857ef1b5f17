import CalotypeCore
import TaskFlow

/// Runs `body` with an origin, and returns when all its connections are closed and its threads have ended.
///
/// - Parameters:
///   - configuration: what is served, where and within which limits.
///   - body: uses the origin; it answers until `body` returns or throws.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; `connect_failed` when the port cannot be bound; `ThreadStartError`;
///   `CancellationError` when the task is cancelled before `body` begins.
public func withOrigin<Output>(
    _ configuration: OriginConfiguration,
    _ body: (Origin) async throws -> Output
) async throws -> Output {
    let listener = try Listener(port: configuration.port)
    defer { listener.close() }
    return try await withThreadExecutor(name: "origin drawing", threads: 2) { drawing in
        try await withThreadExecutor(name: "origin files", threads: 2) { storing in
            try await withReactor { reactor in
                let address = "http://127.0.0.1:\(listener.port)"
                let site = Site(configuration, address, drawing: drawing, storing: storing)
                let origin = Origin(port: listener.port, site: site)
                let server = OriginServer(
                    listener: listener,
                    reactor: reactor,
                    site: site,
                    configuration: configuration
                )
                // Cancelled and awaited when this scope is left, with all its connections.
                async let _: Void = server.run()
                return try await body(origin)
            }
        }
    }
}

/// Runs `body` with a reactor on a thread of its own, and returns when the thread has ended.
func withReactor<Output>(_ body: (Reactor) async throws -> Output) async throws -> Output {
    let reactor = try Reactor()
    defer { reactor.close() }
    return try await withThreadExecutor(name: "origin", threads: 1) { executor in
        try await withTaskScope(ending: .drain) { scope in
            do {
                try scope.start(name: "origin reactor", executor: executor) { reactor.run() }
            } catch {
                // Nothing but a cancelled caller ends the scope so early.
                throw CancellationError()
            }
            defer { reactor.end() }
            return try await body(reactor)
        }
    }
}
