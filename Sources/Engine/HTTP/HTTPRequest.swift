public import CalotypeCore
public import CalotypeHTTPMessages
import TaskFlow

/// What is asked of one URL, and what it may cost: a `GET` unless it says otherwise.
///
/// The transport sends a request once. Where libcurl would repeat one by itself, because a connection kept from an earlier
/// exchange has died, it may do so only as long as the origin cannot have seen the whole request, or where the method is safe,
/// or idempotent and without a body; otherwise the request ends with `connection_reset`, and its caller decides.
public struct HTTPRequest: Hashable, Sendable {
    /// What is asked for.
    public var url: WebURL
    /// What is to be done; `GET` by default.
    public var method: HTTPMethod
    /// What is sent, nothing by default; a `GET` or `HEAD` has no body.
    public var body: HTTPBody
    /// The fields sent besides `Host`, `User-Agent`, `Accept` and `Accept-Encoding`.
    public private(set) var headers = HTTPHeaders()
    /// Which addresses may be connected to; ``AddressPolicy/any`` by default.
    public var addressPolicy: AddressPolicy
    /// How long each part may take.
    public var timeouts = HTTPTimeouts()
    /// How large the answer may be.
    public var limits = HTTPLimits()
    /// Whether the origin is asked for a compressed body; `false` by default, for pictures do not shrink.
    ///
    /// A body that comes compressed is decoded in either case, and its limit holds for the decoded bytes.
    public var acceptsCompressed = false
    /// Whether the origin is asked by `Expect: 100-continue` before the body is sent; `false` by default.
    ///
    /// An origin that refuses by the head alone then saves the body. One that says nothing gets the body after a second; one that
    /// does not know the question answers 417, whose own body is not read.
    /// Without effect over HTTP/2.
    public var expectsContinue = false
    /// Whether the request gets a connection of its own making; `false` by default.
    ///
    /// A connection kept from an earlier exchange may be closed by the origin at the very moment when the request is sent. Set
    /// it where it must not stay open whether such a request was seen.
    public var needsNewConnection = false
    /// Is told how much of the body has been sent; `nil` by default.
    public var progress: SendProgress?
    /// What the host's name, or the proxy's, resolved to, where the transport was asked before.
    var resolution: NameResolver.Resolution?

    // What would break the connection's framing or lead the request elsewhere.
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
    /// - Throws: `invalid_request` where name or value are not valid, or the transport itself sets that field.
    public mutating func addHeader(_ name: String, _ value: String) throws(CalotypeError) {
        let field = try CalotypeError.translating { () throws(HTTPMessageError) in
            try HeaderField(checking: name, value)
        }
        if Self.reserved.contains(where: field.hasName) {
            throw CalotypeError(
                .invalidRequest,
                "the header \(name) is set by the transport and cannot be given",
                stage: .request
            )
        }
        headers.append(field)
    }

    /// The fields that are sent besides the transport's own: ``headers``, and the `Authorization` that the URL's user and
    /// password make.
    package var sentFields: HTTPHeaders {
        guard let authorization = url.authorization, headers["Authorization"] == nil else { return headers }
        var fields = headers
        fields.append(HeaderField("Authorization", authorization))
        return fields
    }

    /// Throws `blocked_address` where the URL's host is an address that the policy forbids.
    package func checkAddress() throws(CalotypeError) {
        guard let address = url.address else { return }
        try addressPolicy.check([address], of: url.host)
    }

    /// Throws `invalid_request` where a `GET` or `HEAD` has a body: origins and proxies disagree on what that means.
    package func checkBody() throws(CalotypeError) {
        guard body.isEmpty || method.allowsBody else {
            throw CalotypeError(.invalidRequest, "a \(method) request has no body", stage: .request)
        }
    }

    /// The request with `spent` taken off its total timeout.
    ///
    /// - Throws: `timeout_total` where nothing is left.
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

    /// The request that follows a redirect to `target`; what is secret stays with the origin it was meant for.
    ///
    /// With `asGet` a `GET` without a body takes its place, as after 303; what describes the body goes with it.
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

/// How long each part of an exchange may take.
public struct HTTPTimeouts: Hashable, Sendable {
    /// Resolving the name, connecting and TLS: 10 s; `timeout_connect`.
    public var connect = Duration.seconds(10)
    /// From the request sent, its body included, to the end of the answer's head: 10 s; `timeout_headers`.
    public var headers = Duration.seconds(10)
    /// Between two pieces of the body that comes, time in which the reader holds the origin back not counted, and between two
    /// pieces of the body that is sent, time in which its file is read not counted: 15 s; `timeout_idle`.
    public var idle = Duration.seconds(15)
    /// The whole exchange, body included; no limit by default; `timeout_total`.
    public var total: Duration?
    /// The least rate of the body that comes, measured over ``rateWindow``: 1 KiB a second; `too_slow`.
    public var minimumRate = ByteCount.kibibytes(1)
    /// How long the body may be slower than ``minimumRate``: 10 s.
    public var rateWindow = Duration.seconds(10)

    /// Creates the default timeouts.
    public init() {}
}

/// How large an answer may be.
public struct HTTPLimits: Hashable, Sendable {
    /// The most bytes of the head, interim responses and trailers included: 64 KiB; `too_many_header_bytes`.
    public var headerBytes = ByteCount.kibibytes(64)
    /// The most lines of the head: 200; `too_many_header_bytes`.
    public var headerLines = 200
    /// The most bytes of the body, after decoding: 64 MiB; `too_many_bytes`.
    public var bodyBytes = ByteCount.mebibytes(64)

    /// Creates the default limits.
    public init() {}
}

extension HTTPTimeouts {
    /// What took longer than it may.
    package enum Expiry: Hashable, Sendable {
        case connect, sending, headers, idle, rate, total
    }

    /// The error of an exchange whose time has run out.
    package func error(_ expiry: Expiry) -> CalotypeError {
        let (code, stage, message): (ErrorCode, CalotypeError.Stage, String) =
            switch expiry {
            case .connect: (.timeoutConnect, .connect, "no connection within \(connect.inSeconds)")
            case .sending:
                (.timeoutIdle, .request, "the origin took no byte of the body for \(idle.inSeconds)")
            case .headers:
                (.timeoutHeaders, .response, "no complete answer head within \(headers.inSeconds)")
            case .idle: (.timeoutIdle, .body, "no byte of the body for \(idle.inSeconds)")
            case .rate:
                (.tooSlow, .body, "less than \(minimumRate) a second for \(rateWindow.inSeconds)")
            case .total: (.timeoutTotal, .body, "not complete within \((total ?? .zero).inSeconds)")
            }
        return CalotypeError(code, message, stage: stage)
    }
}

extension HTTPLimits {
    var headParser: ResponseHeadParser {
        ResponseHeadParser(largestBytes: headerBytes.bytes, lines: headerLines)
    }

    /// Throws `too_many_bytes` where a successful answer announces more than may come.
    package func check(announced length: Int?, status: Int) throws(CalotypeError) {
        guard let length, length > bodyBytes.bytes, (200..<300).contains(status) else { return }
        throw tooManyBytes("is \(ByteCount(length))")
    }

    /// Throws `too_many_bytes` where more has come than may.
    package func check(received count: Int) throws(CalotypeError) {
        guard count > bodyBytes.bytes else { return }
        throw tooManyBytes("goes on")
    }

    private func tooManyBytes(_ length: String) -> CalotypeError {
        CalotypeError(
            .tooManyBytes,
            "the body \(length), more than the limit of \(bodyBytes)",
            stage: .body
        )
    }
}

/// How much of a request's body has been handed to the network, told while it is sent.
///
/// What the network was handed is not yet at the origin; only the origin's answer tells that. The system holds up to
/// 256 KiB that are not on their way yet, and as much as the connection allows that are.
public final class SendProgress: Sendable {
    private let latest = Guarded(ByteCount(0))
    private let tell: (@Sendable (ByteCount) -> Void)?

    /// Creates a progress of zero, for one request.
    ///
    /// - Parameter tell: Is called with each new count, by the thread that sends: it returns at once, or all of the
    ///   transport's exchanges wait for it.
    public init(_ tell: (@Sendable (ByteCount) -> Void)? = nil) {
        self.tell = tell
    }

    /// The bytes of the body that were sent up to now; after a redirect that repeats the body, those of the new request.
    public var sent: ByteCount { latest.withLock { $0 } }

    package func report(_ count: ByteCount) {
        latest.withLock { $0 = count }
        tell?(count)
    }
}

extension SendProgress: Hashable {
    /// Whether they are the same object.
    public static func == (lhs: SendProgress, rhs: SendProgress) -> Bool { lhs === rhs }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
