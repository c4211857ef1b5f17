public import CalotypeCore
public import TaskFlow

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

    /// What the caller of ``HTTPClient`` admitted this exchange by; who reads the answer owns it.
    public private(set) var admission: Permit?
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
    func after(_ spent: HTTPTimings, isDetour: Bool, admission: Permit?) -> HTTPResponse {
        var response = self
        response.isDetour = isDetour
        response.spent = spent
        response.admission = admission
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
        let reason = HTTPStatus.phrase(status).map { " (\($0))" } ?? ""
        throw CalotypeError(
            .http(status: status),
            "the origin answered \(status)\(reason)",
            stage: .response,
            url: url.text
        )
    }
}

/// A version of HTTP.
public enum HTTPVersion: String, Hashable, Sendable {
    /// HTTP/1.0.
    case http1_0 = "1.0"
    /// HTTP/1.1.
    case http1_1 = "1.1"
    /// HTTP/2.
    case http2 = "2"
}
