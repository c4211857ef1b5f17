public import CalotypeCore
public import CalotypeHTTPMessages

/// The answer to one request: its head, and its body as a stream.
public struct HTTPResponse: Sendable {
    /// The status code, 200 to 999.
    public var status: Int { head.status }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }
    /// Whether the answer came over HTTP/1.0, 1.1 or 2.
    public var version: HTTPVersion { head.version }
    /// The length of the body that the origin announced; `nil` where it did not, or where the body is compressed.
    public var contentLength: ByteCount? { head.contentLength.map { ByteCount($0) } }
    /// What was asked for; after redirects, the last URL.
    public let url: WebURL
    /// The body, to be read once.
    public let body: BodyStream

    /// Whether a redirect on the way may lead elsewhere the next time (302, 303, 307).
    package private(set) var isDetour = false

    let head: ResponseHead
    /// What the hops before this one took, and the queue.
    private var spent = HTTPTimings()

    init(url: WebURL, body: BodyStream, head: ResponseHead) {
        self.url = url
        self.body = body
        self.head = head
    }

    /// Creates the answer of a transport that is not libcurl.
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

    /// How long each part took up to now; ``HTTPTimings/body`` grows until the body has ended.
    public var timings: HTTPTimings { body.timings + spent }

    /// The answer with what came before it.
    func after(_ spent: HTTPTimings, isDetour: Bool) -> HTTPResponse {
        var response = self
        response.isDetour = isDetour
        response.spent = spent
        return response
    }

    /// When to ask again, from now, as the `Retry-After` field tells in seconds or as a date; `nil` where it tells
    /// nothing that makes sense.
    ///
    /// A date in the past is zero. The value is the origin's wish: limit it.
    public var retryAfter: Duration? {
        headers["Retry-After"].flatMap { HTTPDate.delay($0) }
    }

    /// Throws `http_404` and the like unless the status is 200 to 299.
    public func requireSuccess() throws(CalotypeError) {
        guard !(200..<300).contains(status) else { return }
        let reason = HTTPStatus.reason(status).map { " (\($0.lowercased()))" } ?? ""
        throw CalotypeError(
            .http(status: status),
            "the origin answered \(status)\(reason)",
            stage: .response,
            url: url.text
        )
    }
}

/// A body as it comes: non-empty pieces of at most 16 KiB, pulled by one reader.
///
/// At most 128 KiB wait for the reader; then the origin is held back until a quarter of that is left.
/// Reading throws `CancellationError` when the task is cancelled, which ends the transfer; `truncated_body`,
/// `timeout_idle`, `too_slow`, `timeout_total`, `too_many_bytes` or `protocol_error` when the rest does not come.
/// What came before an error is read before the error.
public struct BodyStream: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = [UInt8]
    /// What goes wrong on the way.
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

    /// The bytes that came and have not been read, at most 128 KiB.
    public var bufferedBytes: Int { source.bufferedBytes }

    /// Creates the iterator; all iterators of one body share its position.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// Reads all that is left.
    public func collect() async throws -> [UInt8] {
        guard var bytes = try await source.next() else { return [] }
        while let chunk = try await source.next() { bytes += chunk }
        return bytes
    }
}

/// What the bytes of an answer's body come from: libcurl, or a script in a test.
package protocol BodySource: Sendable {
    /// Waits for the next piece, not empty and of at most 16 KiB; `nil` at the end of a complete body.
    ///
    /// - Throws: What ``BodyStream`` says, the same at each further call; `CancellationError` once the exchange is over.
    func next() async throws -> [UInt8]?

    /// How long each part took up to now.
    var timings: HTTPTimings { get }

    /// The bytes that came and have not been read.
    var bufferedBytes: Int { get }
}

/// How long each part of one exchange took; after redirects, of all hops together.
public struct HTTPTimings: Hashable, Sendable {
    /// Waiting for permits before the requests were sent; zero where no ``HTTPClient`` is in between.
    public var queue = Duration.zero
    /// Resolving the host's name; zero where its address was known.
    public var dns = Duration.zero
    /// Making the TCP connection; zero where one was there.
    public var connect = Duration.zero
    /// The TLS handshake; zero where the connection was there or is not encrypted.
    public var tls = Duration.zero
    /// Handing the request's body to the network; zero where it has none.
    public var sending = Duration.zero
    /// From the request sent to the first byte of the answer.
    public var firstByte = Duration.zero
    /// From the end of the answer's head to the end of its body, or to now while it still comes.
    public var body = Duration.zero

    /// Creates timings of zero.
    public init() {}

    /// The time that counts as the origin's: all but the queue.
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
