import CalotypeCore

/// The status line and the header fields of an answer.
struct ResponseHead: Sendable {
    let status: Int
    let version: HTTPVersion
    let headers: HTTPHeaders
    /// The announced length of the body as it is delivered.
    let contentLength: Int?
}

/// Makes a head from header lines as they come, within limits.
struct ResponseHeadParser {
    enum Step {
        case needsMore
        case head(ResponseHead)
    }

    private let limits: HTTPLimits
    private var bytes = 0
    private var lines = 0
    private var status = 0
    private var version = HTTPVersion.http1_1
    private var headers = HTTPHeaders()
    private var isComplete = false

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// Takes one line with its line break; interim answers (1xx) and trailers count, but are otherwise passed over.
    mutating func take(_ line: UnsafeBufferPointer<UInt8>) throws(CalotypeError) -> Step {
        bytes += line.count
        lines += 1
        guard bytes <= limits.headerBytes.bytes, lines <= limits.headerLines else { throw tooLarge }
        guard !isComplete else { return .needsMore }
        let text = unsafe String(decoding: line, as: UTF8.self).trimmingLineBreak()
        if text.isEmpty { return try end() }
        if text.hasPrefix("HTTP/") { try begin(text) } else { add(text) }
        return .needsMore
    }

    private mutating func begin(_ line: String) throws(CalotypeError) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, let status = Int(words[1]), (100...999).contains(status) else {
            throw Self.malformed("its status line is \"\(line.prefix(64))\"")
        }
        self.status = status
        version = HTTPVersion(rawValue: String(words[0].dropFirst(5))) ?? .http1_1
        headers = HTTPHeaders()
    }

    private mutating func add(_ line: String) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
        let value = line[line.utf8.index(after: colon)...].trimmingBlanks()
        headers.append(HTTPHeaders.Field(unchecked: line[..<colon].trimmingBlanks(), value))
    }

    private mutating func end() throws(CalotypeError) -> Step {
        guard status >= 200 else { return .needsMore }
        isComplete = true
        let announced = try announcedLength()
        let encoding = headers["Content-Encoding"]?.lowercased() ?? "identity"
        return .head(
            ResponseHead(
                status: status,
                version: version,
                headers: headers,
                contentLength: encoding == "identity" ? announced : nil
            )
        )
    }

    /// The `Content-Length`; two different ones, or one beside `Transfer-Encoding`, are the signs of an answer smuggled in
    /// (RFC 9112, section 6.3), so they are refused.
    private func announcedLength() throws(CalotypeError) -> Int? {
        let values = Set(
            headers.values(of: "Content-Length").flatMap {
                $0.split(separator: ",").map { $0.trimmingBlanks() }
            }
        )
        guard let value = values.first else { return nil }
        guard values.count == 1 else { throw Self.malformed("it has two different Content-Length fields") }
        guard headers["Transfer-Encoding"] == nil else {
            throw Self.malformed("it has both Content-Length and Transfer-Encoding")
        }
        guard value.utf8.allSatisfy(\.isASCIIDigit), let length = Int(value) else {
            throw Self.malformed("its Content-Length is \"\(value.prefix(32))\"")
        }
        return length
    }

    private var tooLarge: CalotypeError {
        CalotypeError(
            .tooManyHeaderBytes,
            "the answer's head is larger than \(limits.headerBytes) or \(limits.headerLines) lines",
            stage: .response
        )
    }

    private static func malformed(_ detail: String) -> CalotypeError {
        CalotypeError(.protocolError, "the origin's answer is no valid HTTP: \(detail)", stage: .response)
    }
}

extension String {
    fileprivate func trimmingLineBreak() -> String {
        guard let last = utf8.lastIndex(where: { $0 != 0x0D && $0 != 0x0A }) else { return "" }
        return String(self[...last])
    }
}

/// What status codes are called (RFC 9110, section 15).
enum HTTPStatus {
    private static let phrases = [
        304: "not modified", 400: "bad request", 401: "unauthorized", 403: "forbidden", 404: "not found",
        405: "method not allowed", 406: "not acceptable", 407: "proxy authentication required",
        408: "request timeout", 409: "conflict", 410: "gone", 411: "length required",
        412: "precondition failed", 413: "content too large", 415: "unsupported media type",
        417: "expectation failed", 421: "misdirected request", 422: "unprocessable content", 423: "locked",
        425: "too early",
        429: "too many requests",
        451: "unavailable for legal reasons", 500: "internal server error", 501: "not implemented",
        502: "bad gateway", 503: "service unavailable", 504: "gateway timeout",
        507: "insufficient storage",
    ]

    /// The phrase for `status`, in lower case; `nil` for one that says little.
    static func phrase(_ status: Int) -> String? { phrases[status] }

    /// Whether the answer names another place where the request is answered, or its outcome told.
    static func isRedirect(_ status: Int) -> Bool {
        [301, 302, 303, 307, 308].contains(status)
    }

    /// Whether a redirect may lead elsewhere the next time.
    static func isTemporary(_ status: Int) -> Bool {
        status != 301 && status != 308
    }
}
