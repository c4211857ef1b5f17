/// A server's socket with its connections; get one from ``withHTTPListener(_:answering:_:)``.
public final class HTTPListener: Sendable {
    /// The address that it listens on.
    public let host: String
    /// The port that it listens on, chosen by the system where 0 was asked for.
    public let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Takes no more connections and requests, waits at most `grace` for the answers under way, and cancels the rest.
    public func drain(within grace: Duration) async {}
}

/// Runs `body` with a listener whose requests `responder` answers, and returns when all connections are closed and all
/// tasks have ended.
///
/// - Throws: what `body` throws; `SystemError` where the address cannot be listened on.
public func withHTTPListener<Output>(
    _ configuration: HTTPListenerConfiguration,
    answering responder: some HTTPResponding,
    _ body: (HTTPListener) async throws -> Output
) async throws -> Output {
    try await body(HTTPListener(host: configuration.host, port: configuration.port))
}
