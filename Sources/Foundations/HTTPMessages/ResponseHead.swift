/// The status line and the header fields of a response.
package struct ResponseHead: Sendable {
    package let status: Int
    package let version: HTTPVersion
    package let headers: HTTPHeaders
    /// The announced length of the body as it is delivered; `nil` if it is unknown or the body is compressed.
    package let contentLength: Int?

    package init(status: Int, version: HTTPVersion, headers: HTTPHeaders, contentLength: Int?) {
        self.status = status
        self.version = version
        self.headers = headers
        self.contentLength = contentLength
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

/// Parses a response head line by line, within limits.
package struct ResponseHeadParser {
    package enum Step {
        case needsMore
        case head(ResponseHead)
    }

    private let largestBytes: Int
    private let largestLines: Int
    private var bytes = 0
    private var lines = 0
    private var status = 0
    private var version = HTTPVersion.http1_1
    private var headers = HTTPHeaders()
    private var isComplete = false

    /// Creates a parser of a head of at most `bytes` and `lines`, interim responses and trailers included.
    package init(largestBytes bytes: Int, lines: Int) {
        (largestBytes, largestLines) = (bytes, lines)
    }

    /// Takes one line with its line break.
    ///
    /// Interim responses (1xx) and trailers count, but are otherwise ignored.
    package mutating func take(_ line: UnsafeBufferPointer<UInt8>) throws(HTTPMessageError) -> Step {
        bytes += line.count
        lines += 1
        guard bytes <= largestBytes, lines <= largestLines else { throw tooLarge }
        guard !isComplete else { return .needsMore }
        let text = unsafe String(decoding: line, as: UTF8.self).trimmingLineBreak()
        if text.isEmpty { return try end() }
        if text.hasPrefix("HTTP/") { try begin(text) } else { add(text) }
        return .needsMore
    }

    private mutating func begin(_ line: String) throws(HTTPMessageError) {
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
        headers.append(HeaderField(line[..<colon].trimmingBlanks(), value))
    }

    private mutating func end() throws(HTTPMessageError) -> Step {
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

    /// Returns the `Content-Length`.
    ///
    /// Refuses two different ones, or one beside `Transfer-Encoding`.
    ///
    /// They are signs of a smuggled response (RFC 9112, section 6.3).
    private func announcedLength() throws(HTTPMessageError) -> Int? {
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

    private var tooLarge: HTTPMessageError {
        HTTPMessageError(
            .headTooLarge,
            "the response head has more than \(largestBytes) bytes or \(largestLines) lines"
        )
    }

    private static func malformed(_ detail: String) -> HTTPMessageError {
        HTTPMessageError(.malformedHead, "the response is not valid HTTP: \(detail)")
    }
}

extension String {
    fileprivate func trimmingLineBreak() -> String {
        guard let last = utf8.lastIndex(where: { $0 != 0x0D && $0 != 0x0A }) else { return "" }
        return String(self[...last])
    }
}
