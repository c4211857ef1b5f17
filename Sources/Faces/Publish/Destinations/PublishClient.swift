public import CalotypeCore
import CalotypeFiles
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

    /// The current time, for signatures and rate limits.
    public var time: WallTime { now() }

    /// Waits before another request to a server.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    /// Sends a request and reads the complete response, whatever its status.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The maximum size of the response body, 1 MiB by default.
    /// - Returns: The response.
    /// - Throws: What the transport throws; `too_many_bytes` for a larger response; `CancellationError`.
    public func send(
        _ request: HTTPRequest,
        limit: ByteCount = .mebibytes(1)
    ) async throws -> PublishResponse {
        let url = request.url
        var request = request
        request.limits.bodyBytes = limit
        // A server may store, check and scale the data that it received before it responds.
        request.timeouts.headers = max(request.timeouts.headers, .seconds(120))
        return try await client.withResponse(to: request) { response in
            PublishResponse(
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

extension HTTPRequest {
    /// Adds an `Authorization` header with `value`, if there is one.
    mutating func authorize(_ value: Secret?) throws(CalotypeError) {
        guard let value else { return }
        try addHeader("Authorization", value.text)
    }
}

extension Secret {
    /// Returns the `Authorization` value for a token (RFC 6750).
    static func bearer(_ token: Secret) -> Secret {
        Secret("Bearer \(token.text)")
    }

    /// Returns the `Authorization` value for a user and a password (RFC 7617).
    static func basic(_ user: String, _ password: Secret) -> Secret {
        let credentials = Base64.encode(Array("\(user):\(password.text)".utf8))
        return Secret("Basic \(String(decoding: credentials, as: UTF8.self))")
    }
}

extension WebURL {
    /// Returns the URL of the file `name` in the folder at this URL, whether or not the URL ends in a slash.
    func appending(_ name: String) throws(CalotypeError) -> WebURL {
        let folder = withoutQuery.hasSuffix("/") ? withoutQuery : withoutQuery + "/"
        return try WebURL(folder + PercentEscapes.encoded(name)).adding(query)
    }

    /// Returns the URL with `query` added, unless it already has a query.
    func adding(_ query: Substring?) throws(CalotypeError) -> WebURL {
        guard let query, self.query == nil else { return self }
        return try WebURL("\(text)?\(query)")
    }

    /// The text after the question mark, such as a signature; `nil` if there is none.
    var query: Substring? {
        text.firstIndex(of: "?").map { text[text.index(after: $0)...] }
    }

    /// The URL's text without its query.
    var withoutQuery: String { text.urlWithoutQuery }
}

extension String {
    /// The URL without its query, which may contain a signature.
    var urlWithoutQuery: String { String(prefix { $0 != "?" }) }
}
