public import CalotypeCore
// Requests and responses consist of these types.
@_exported public import CalotypeHTTPMessages
import TaskFlow

/// A request for one URL, with its limits; a `GET` by default.
///
/// The transport sends a request once. libcurl would repeat a request by itself if a reused connection has
/// died. It may do so only if the origin cannot have received the whole request, or if the method is safe, or
/// idempotent and without a body. Otherwise the request fails with `connection_reset`, and the caller
/// decides.
public struct HTTPRequest: Hashable, Sendable {
    /// The URL to request.
    public var url: WebURL
    /// The method; `GET` by default.
    public var method: HTTPMethod
    /// The body, empty by default; a `GET` or `HEAD` has none.
    public var body: HTTPBody
    /// The header fields to send in addition to `Host`, `User-Agent`, `Accept` and `Accept-Encoding`.
    public private(set) var headers = HTTPHeaders()
    /// The addresses that the request may connect to; ``AddressPolicy/any`` by default.
    public var addressPolicy: AddressPolicy
    /// How long each part may take.
    public var timeouts = HTTPTimeouts()
    /// The size limits of the response.
    public var limits = HTTPLimits()
    /// Whether to accept a compressed body; `false` by default, because pictures do not get smaller.
    ///
    /// A compressed body is decoded in either case, and its limit applies to the decoded bytes.
    public var acceptsCompressed = false
    /// Whether to send `Expect: 100-continue` before the body; `false` by default.
    ///
    /// An origin can then refuse the request by its head alone, which saves sending the body. If the origin
    /// does not react, the body follows after a second. An origin that does not support the field sends a
    /// 417, whose body is not read. The property has no effect over HTTP/2.
    public var expectsContinue = false
    /// Whether the request must use a new connection; `false` by default.
    ///
    /// The origin may close a reused connection at the very moment when the request is sent. Set this
    /// property if you must always know whether the origin received the request.
    public var needsNewConnection = false
    /// Receives how much of the body has been sent; `nil` by default.
    public var progress: SendProgress?
    /// The addresses of the host or of the proxy, if the transport has already resolved the name.
    var resolution: NameResolver.Resolution?

    // Fields that would break the connection's framing or send the request elsewhere.
    private static let reserved = [
        "Host", "Connection", "Content-Length", "Transfer-Encoding", "TE", "Trailer", "Upgrade", "Keep-Alive",
        "Proxy-Connection", "Proxy-Authorization", "Expect",
    ]

    /// Creates a request for `url` with the default timeouts and limits.
    public init(
        _ url: WebURL,
        method: HTTPMethod = .get,
        body: HTTPBody = .none,
        addressPolicy: AddressPolicy = .any
    ) {
        self.url = url
        self.method = method
        self.body = body
        self.addressPolicy = addressPolicy
    }

    /// Adds a header field.
    ///
    /// - Throws: `invalid_request` if the name or the value is invalid, or if the transport sets that field
    ///   itself.
    public mutating func addHeader(_ name: String, _ value: String) throws(CalotypeError) {
        let field = try CalotypeError.translating { () throws(HTTPMessageError) in
            try HeaderField(checking: name, value)
        }
        if Self.reserved.contains(where: field.hasName) {
            throw CalotypeError(
                .invalidRequest,
                "the header \(name) is set by the transport and cannot be changed",
                stage: .request
            )
        }
        headers.append(field)
    }

    /// Makes the request an operation of the current trace, unless there is none or it names one itself.
    mutating func joinTrace() {
        guard let context = TraceContext.current, headers[TraceContext.parentField] == nil else { return }
        for field in context.child().fields { headers.append(field) }
    }

    /// The fields to send in addition to the transport's own.
    ///
    /// These are ``headers`` and the `Authorization` from the URL's user name and password.
    package var sentFields: HTTPHeaders {
        guard let authorization = url.authorization, headers["Authorization"] == nil else { return headers }
        var fields = headers
        fields.append(HeaderField("Authorization", authorization))
        return fields
    }

    /// Throws `blocked_address` if the URL's host is an address that the policy forbids.
    package func checkAddress() throws(CalotypeError) {
        guard let address = url.address else { return }
        try addressPolicy.check([address], of: url.host)
    }

    /// Throws `invalid_request` if a `GET` or `HEAD` has a body: origins and proxies disagree on its meaning.
    package func checkBody() throws(CalotypeError) {
        guard body.isEmpty || method.allowsBody else {
            throw CalotypeError(.invalidRequest, "a \(method) request cannot have a body", stage: .request)
        }
    }

    /// Returns the request with `spent` subtracted from its total timeout.
    ///
    /// - Throws: `timeout_total` if no time is left.
    func withTotalReduced(by spent: Duration) throws(CalotypeError) -> HTTPRequest {
        guard let total = timeouts.total else { return self }
        guard spent < total else {
            throw CalotypeError(
                .timeoutTotal,
                "the redirects took longer than \(total.inSeconds)",
                stage: .response,
                url: url.text
            )
        }
        var rest = self
        rest.timeouts.total = total - spent
        return rest
    }

    /// Returns the request that follows a redirect to `target`, without secrets if the origin changes.
    ///
    /// With `asGet` it becomes a `GET` without a body, as after a 303, and loses the fields that describe the
    /// body.
    func redirected(to target: WebURL, asGet: Bool = false) -> HTTPRequest {
        var next = self
        next.url = target
        next.resolution = nil
        if asGet {
            (next.method, next.body, next.expectsContinue) = (.get, .none, false)
            next.headers.removeAll(prefix: "content-")
        }
        if target.origin != url.origin {
            for name in ["Authorization", "Cookie"] { next.headers.removeAll(name) }
        }
        return next
    }
}

/// The time limits of an exchange.
public struct HTTPTimeouts: Hashable, Sendable {
    /// For name resolution, connection and TLS handshake: 10 s; fails with `timeout_connect`.
    public var connect = Duration.seconds(10)
    /// From the end of the request to the end of the response's head: 10 s; fails with `timeout_headers`.
    public var headers = Duration.seconds(10)
    /// Between two pieces of a body, sent or received: 15 s; fails with `timeout_idle`.
    ///
    /// Time does not count while the reader holds up the origin, or while the file of the request's body is
    /// being read.
    public var idle = Duration.seconds(15)
    /// For the whole exchange, including the body; no limit by default; fails with `timeout_total`.
    public var total: Duration?
    /// The minimum rate of the response's body, measured over ``rateWindow``: 1 KiB/s; fails with `too_slow`.
    public var minimumRate = ByteCount.kibibytes(1)
    /// How long the body may be slower than ``minimumRate``: 10 s.
    public var rateWindow = Duration.seconds(10)

    /// Creates the default timeouts.
    public init() {}
}

/// The size limits of a response.
public struct HTTPLimits: Hashable, Sendable {
    /// The maximum size of the head with interim responses and trailers: 64 KiB; `too_many_header_bytes`.
    public var headerBytes = ByteCount.kibibytes(64)
    /// The maximum number of lines in the head: 200; fails with `too_many_header_bytes`.
    public var headerLines = 200
    /// The maximum size of the body after decoding: 64 MiB; fails with `too_many_bytes`.
    public var bodyBytes = ByteCount.mebibytes(64)

    /// Creates the default limits.
    public init() {}
}

extension HTTPTimeouts {
    /// The time limit that expired.
    package enum Expiry: Hashable, Sendable {
        case connect, sending, headers, idle, rate, total
    }

    /// The error for an exchange that exceeded a time limit.
    package func error(_ expiry: Expiry) -> CalotypeError {
        let (code, stage, message): (ErrorCode, CalotypeError.Stage, String) =
            switch expiry {
            case .connect: (.timeoutConnect, .connect, "no connection within \(connect.inSeconds)")
            case .sending:
                (.timeoutIdle, .request, "the origin accepted no data for \(idle.inSeconds)")
            case .headers:
                (.timeoutHeaders, .response, "no complete response head within \(headers.inSeconds)")
            case .idle: (.timeoutIdle, .body, "received no data for \(idle.inSeconds)")
            case .rate:
                (.tooSlow, .body, "less than \(minimumRate) per second for \(rateWindow.inSeconds)")
            case .total: (.timeoutTotal, .body, "not complete within \((total ?? .zero).inSeconds)")
            }
        return CalotypeError(code, message, stage: stage)
    }
}

extension HTTPLimits {
    var headParser: ResponseHeadParser {
        ResponseHeadParser(largestBytes: headerBytes.bytes, lines: headerLines)
    }

    /// Throws `too_many_bytes` if a successful response announces a body over the limit.
    package func check(announced length: Int?, status: Int) throws(CalotypeError) {
        guard let length, length > bodyBytes.bytes, (200..<300).contains(status) else { return }
        throw tooManyBytes("has \(ByteCount(length)), which is more")
    }

    /// Throws `too_many_bytes` if the received body exceeds the limit.
    package func check(received count: Int) throws(CalotypeError) {
        guard count > bodyBytes.bytes else { return }
        throw tooManyBytes("is larger")
    }

    private func tooManyBytes(_ length: String) -> CalotypeError {
        CalotypeError(
            .tooManyBytes,
            "the body \(length) than the limit of \(bodyBytes)",
            stage: .body
        )
    }
}

/// The number of bytes of a request's body that have been passed to the network.
///
/// These bytes may not have reached the origin yet; only its response shows that. The system holds up to 256
/// KiB that are not yet in transit, and as much in transit as the connection allows.
public final class SendProgress: Sendable {
    private let latest = Guarded(ByteCount(0))
    private let tell: (@Sendable (ByteCount) -> Void)?

    /// Creates a progress of zero, for one request.
    ///
    /// - Parameter tell: Called with each new count by the thread that sends. It must return immediately,
    ///   because all of the transport's exchanges wait for it.
    public init(_ tell: (@Sendable (ByteCount) -> Void)? = nil) {
        self.tell = tell
    }

    /// The number of body bytes sent so far; starts again after a redirect that repeats the body.
    public var sent: ByteCount { latest.withLock { $0 } }

    package func report(_ count: ByteCount) {
        latest.withLock { $0 = count }
        tell?(count)
    }
}

extension SendProgress: Hashable {
    /// Whether both are the same object.
    public static func == (lhs: SendProgress, rhs: SendProgress) -> Bool { lhs === rhs }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CalotypeError {
    /// Creates the error for a request or response that is not valid HTTP.
    public init(_ error: HTTPMessageError) {
        switch error.code {
        case .headTooLarge: self.init(.tooManyHeaderBytes, error.message, stage: .response)
        case .malformedHead: self.init(.protocolError, error.message, stage: .response)
        default: self.init(.invalidRequest, error.message, stage: .request)
        }
    }

    /// Runs `body`, and translates its error.
    static func translating<Value>(
        _ body: () throws(HTTPMessageError) -> Value
    ) throws(CalotypeError) -> Value {
        do throws(HTTPMessageError) { return try body() } catch { throw CalotypeError(error) }
    }
}
