/// The request line and the header fields of a request (RFC 9112).
package struct RequestHead: Hashable, Sendable {
    /// How to find the end of the body (RFC 9112, section 6.3).
    package enum Framing: Hashable, Sendable {
        /// A body of this many bytes; 0 if there is no body.
        case length(Int)
        /// A body in chunks.
        case chunked
    }

    package var method: String
    /// The target as the client sent it.
    package var target: String
    package var version: HTTPVersion
    package var headers: HTTPHeaders

    package init(method: String, target: String, version: HTTPVersion = .http1_1, headers: HTTPHeaders) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
    }

    /// Parses the lines before the blank one; they may end in LF alone.
    ///
    /// - Throws: `malformed_head` if they are not an HTTP/1 request.
    package init(parsing bytes: some Collection<UInt8>) throws(HTTPMessageError) {
        let text = String(decoding: bytes, as: UTF8.self)
        // CR LF is one Character, so that one rule finds both line ends.
        var lines = text.split(omittingEmptySubsequences: true) { $0 == "\r\n" || $0 == "\n" }[...]
        let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, ["HTTP/1.0", "HTTP/1.1"].contains(words[2]) else {
            throw Self.malformed("it has no request line")
        }
        var headers = HTTPHeaders()
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw Self.malformed("a line is not a header field")
            }
            let value = line[line.index(after: colon)...].trimmingBlanks()
            headers.append(HeaderField(String(line[..<colon]), value))
        }
        self.init(
            method: String(words[0]),
            target: String(words[1]),
            version: words[2] == "HTTP/1.0" ? .http1_0 : .http1_1,
            headers: headers
        )
    }

    /// Decides where the body ends.
    ///
    /// - Throws: `malformed_head` if the fields contradict each other, or can be read in two ways.
    package func framing() throws(HTTPMessageError) -> Framing {
        let lengths = headers.values(of: "Content-Length")
        let encodings = headers.values(of: "Transfer-Encoding")
        guard encodings.isEmpty else {
            guard lengths.isEmpty, encodings.count == 1, encodings[0].lowercased() == "chunked",
                version == .http1_1
            else {
                throw Self.malformed(
                    "the body has an encoding other than chunked, or both an encoding and a length"
                )
            }
            return .chunked
        }
        guard let text = lengths.first else { return .length(0) }
        guard lengths.count == 1, (1...18).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit),
            let length = Int(text)
        else {
            throw Self.malformed("the body's length is not a single number")
        }
        return .length(length)
    }

    /// Whether the client closes the connection after the response (RFC 9112, section 9.3).
    package var wantsClose: Bool {
        let options = headers.values(of: "Connection").joined(separator: ",").lowercased()
        return options.contains("close") || (version == .http1_0 && !options.contains("keep-alive"))
    }

    private static func malformed(_ detail: String) -> HTTPMessageError {
        HTTPMessageError(.malformedHead, detail)
    }
}

extension RequestHead {
    /// The target without scheme and host, as sent to an origin.
    ///
    /// `nil` if it is neither a path nor an `http` URL.
    package var originForm: String? {
        if target.hasPrefix("/") { return target }
        guard target.hasPrefix("http://") else { return nil }
        let rest = target.dropFirst("http://".count)
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    /// The target before the question mark.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The target after the question mark; empty if it has none.
    package var query: Substring { target.drop { $0 != "?" }.dropFirst() }
}
