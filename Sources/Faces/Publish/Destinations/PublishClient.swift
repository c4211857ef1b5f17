public import CalotypeCore
public import CalotypeHTTP

/// Sends the requests of a destination.
public struct PublishClient: Sendable {
    private let client: HTTPClient
    private let now: @Sendable () -> WallTime
    private let clock: any Clock<Duration>

    /// Creates a client that sends through `client`.
    package init(
        _ client: HTTPClient,
        now: @escaping @Sendable () -> WallTime = WallTime.now,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.client = client
        self.now = now
        self.clock = clock
    }

    /// The time, for signatures and rate limits.
    public var time: WallTime { now() }

    /// Waits, before a server is asked again.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    /// Sends a request and reads the answer whole, whatever its status.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - limit: The most bytes of the answer's body, 1 MiB by default.
    /// - Returns: The answer.
    /// - Throws: What the transport throws; `too_many_bytes` for a longer answer; `CancellationError`.
    public func send(
        _ request: HTTPRequest,
        limit: ByteCount = .mebibytes(1)
    ) async throws -> PublishAnswer {
        let url = request.url
        var request = request
        request.limits.bodyBytes = limit
        // A server may store, check and scale what it was sent before it answers.
        request.timeouts.headers = max(request.timeouts.headers, .seconds(120))
        return try await client.withResponse(to: request) { response in
            PublishAnswer(
                status: response.status,
                headers: response.headers,
                body: try await response.body.collect(),
                url: response.url,
                isRedirected: response.isDetour || response.url != url,
                retryAfter: response.retryAfter
            )
        }
    }
}
