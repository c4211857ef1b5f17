public import CalotypeCore
public import CalotypeHTTPMessages

/// The response to one request: its head, and its body as a stream.
public struct HTTPResponse: Sendable {
    /// The status code, 200 to 999.
    public var status: Int { head.status }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }
    /// The HTTP version of the response: 1.0, 1.1 or 2.
    public var version: HTTPVersion { head.version }
    /// The announced length of the body; `nil` if the origin announced none, or if the body is compressed.
    public var contentLength: ByteCount? { head.contentLength.map { ByteCount($0) } }
    /// The URL of the request; after redirects, the last one.
    public let url: WebURL
    /// The body, which can be read once.
    public let body: BodyStream

    /// Whether the chain contains a redirect that may lead elsewhere next time (302, 303, 307).
    package private(set) var isDetour = false

    let head: ResponseHead
    /// The timings of the previous hops and of the queue.
    private var spent = HTTPTimings()

    init(url: WebURL, body: BodyStream, head: ResponseHead) {
        self.url = url
        self.body = body
        self.head = head
    }

    /// Creates the response of a transport other than libcurl.
    package init(
        url: WebURL,
        status: Int,
        headers: HTTPHeaders,
        contentLength: Int?,
        body: any BodySource
    ) {
        let head = ResponseHead(
            status: status,
            version: .http1_1,
            headers: headers,
            contentLength: contentLength
        )
        self.init(url: url, body: BodyStream(source: body), head: head)
    }

    /// Creates the response of a transport of your own; see ``HTTPTransporting``.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - status: The status code, 200 to 999.
    ///   - headers: The header fields, without those that only concern the connection.
    ///   - contentLength: The length of the body, if it is known. A body that is shorter fails with
    ///     `truncated_body`, and a longer one with `protocol_error`.
    ///   - body: Waits for the next piece of the body and returns it; `nil` at the end. It is called by one
    ///     reader at a time, and no more after it has returned `nil` or thrown an error.
    public init(
        url: WebURL,
        status: Int,
        headers: HTTPHeaders = HTTPHeaders(),
        contentLength: ByteCount? = nil,
        body: @escaping @Sendable () async throws -> [UInt8]?
    ) {
        self.init(
            url: url,
            status: status,
            headers: headers,
            contentLength: contentLength?.bytes,
            body: SuppliedBody(url: url, length: contentLength?.bytes, body)
        )
    }

    /// The timings so far; ``HTTPTimings/body`` grows until the body ends.
    public var timings: HTTPTimings { body.timings + spent }

    /// Returns the response with the timings of what preceded it.
    func after(_ spent: HTTPTimings, isDetour: Bool) -> HTTPResponse {
        var response = self
        response.isDetour = isDetour
        response.spent = spent
        return response
    }

    /// The delay until the next attempt, from the `Retry-After` field in seconds or as a date.
    ///
    /// It is `nil` if the field is missing or makes no sense, and zero for a date in the past. The origin
    /// chooses the value, so limit it.
    public var retryAfter: Duration? {
        headers["Retry-After"].flatMap { HTTPDate.delay($0) }
    }

    /// Throws `http_404` or similar unless the status is 200 to 299.
    public func requireSuccess() throws(CalotypeError) {
        guard !(200..<300).contains(status) else { return }
        let reason = HTTPStatus.reason(status).map { " (\($0.lowercased()))" } ?? ""
        throw CalotypeError(
            .http(status: status),
            "the origin returned \(status)\(reason)",
            stage: .response,
            url: url.text
        )
    }
}

/// The stream of a body: non-empty pieces of at most 16 KiB, pulled by one reader.
///
/// At most 128 KiB wait for the reader. Then the origin is held up until a quarter of that is left. Reading
/// throws `CancellationError` if the task is cancelled, which ends the transfer. It throws `truncated_body`,
/// `timeout_idle`, `too_slow`, `timeout_total`, `too_many_bytes` or `protocol_error` if the rest does not
/// arrive. The reader receives everything that arrived before an error, and then the error.
public struct BodyStream: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = [UInt8]
    /// The type of the errors that reading throws.
    public typealias Failure = any Error

    /// Reads the body.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let source: any BodySource

        /// Waits for the next piece; `nil` at the end of a complete body.
        public mutating func next() async throws -> [UInt8]? {
            try await source.next()
        }

        /// Waits for the next piece; `nil` at the end of a complete body.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            try await source.next()
        }
    }

    let source: any BodySource

    var timings: HTTPTimings { source.timings }

    /// The number of bytes received and not yet read, at most 128 KiB.
    public var bufferedBytes: Int { source.bufferedBytes }

    /// Creates an iterator; all iterators of one body share its position.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// Reads the rest of the body.
    public func collect() async throws -> [UInt8] {
        guard var bytes = try await source.next() else { return [] }
        while let chunk = try await source.next() { bytes += chunk }
        return bytes
    }
}

/// A source of the bytes of a response's body: libcurl, or a script in a test.
package protocol BodySource: Sendable {
    /// Waits for the next piece, which has 1 byte to 16 KiB; `nil` at the end of a complete body.
    ///
    /// - Throws: What ``BodyStream`` documents, again at each further call; `CancellationError` once the
    ///   exchange is over.
    func next() async throws -> [UInt8]?

    /// The timings so far.
    var timings: HTTPTimings { get }

    /// The number of bytes received and not yet read.
    var bufferedBytes: Int { get }
}

/// The duration of each part of an exchange, or after redirects, of all hops together.
public struct HTTPTimings: Hashable, Sendable {
    /// The wait for permits before the requests were sent; zero without an ``HTTPClient``.
    public var queue = Duration.zero
    /// Name resolution; zero if the address was known.
    public var dns = Duration.zero
    /// TCP connection; zero if an existing one was used.
    public var connect = Duration.zero
    /// TLS handshake; zero if an existing connection was used or the connection is not encrypted.
    public var tls = Duration.zero
    /// Passing the request's body to the network; zero if there is none.
    public var sending = Duration.zero
    /// From the end of the request to the first byte of the response.
    public var firstByte = Duration.zero
    /// From the end of the response's head to the end of its body, or until now while it still arrives.
    public var body = Duration.zero

    /// Creates timings of zero.
    public init() {}

    /// The time that the origin is responsible for: everything except the queue.
    var origin: Duration { dns + connect + tls + sending + firstByte + body }

    static func + (lhs: HTTPTimings, rhs: HTTPTimings) -> HTTPTimings {
        var sum = lhs
        sum.queue += rhs.queue
        sum.dns += rhs.dns
        sum.connect += rhs.connect
        sum.tls += rhs.tls
        sum.sending += rhs.sending
        sum.firstByte += rhs.firstByte
        sum.body += rhs.body
        return sum
    }
}
