import CalotypeHTTPMessages
import Testing

struct RequestHeadTests {
    private func head(_ lines: String...) throws -> RequestHead {
        try RequestHead(parsing: Array(lines.joined(separator: "\r\n").utf8))
    }

    @Test(arguments: ["\r\n", "\n"])
    func `a head is read, whatever its line ends are`(end: String) throws {
        let text = ["GET /a%20b?x=1 HTTP/1.1", "Host: a", "X:  b\t", "x: c:d"].joined(separator: end) + end
        let head = try RequestHead(parsing: Array(text.utf8))
        #expect((head.method, head.target, head.version) == ("GET", "/a%20b?x=1", .http1_1))
        #expect(head.headers.values(of: "X") == ["b", "c:d"])
        #expect((head.path, head.query) == ("/a%20b", "x=1"))
    }

    @Test(arguments: [
        "", "GET", "GET /", "GET / HTTP/2", "GET / HTTP/1.1 ", "GET  / HTTP/1.1", "GET / HTTP/1.1\r\nHost",
        "GET / HTTP/1.1\r\n: a",
    ])
    func `lines that are not a request are refused`(text: String) {
        let error = #expect(throws: HTTPMessageError.self) { try RequestHead(parsing: Array(text.utf8)) }
        #expect(error?.code == .malformedHead)
    }

    @Test(
        arguments: [
            ("/a?b", "/a?b"), ("http://h/a?b", "/a?b"), ("http://h", "/"), ("*", nil), ("https://h/", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func `an origin sees the path and the query of a target`(target: String, form: String?) {
        #expect(RequestHead(method: "GET", target: target, headers: HTTPHeaders()).originForm == form)
    }

    @Test(
        arguments: [
            ("", .length(0)), ("Content-Length: 0", .length(0)), ("Content-Length: 12", .length(12)),
            ("transfer-encoding: Chunked", .chunked), ("Content-Length: +1", nil), ("Content-Length:", nil),
            ("Content-Length: 1|Content-Length: 1", nil), ("Content-Length: 1, 1", nil),
            ("Content-Length: 1|Transfer-Encoding: chunked", nil), ("Transfer-Encoding: gzip", nil),
            ("Transfer-Encoding: chunked|Transfer-Encoding: chunked", nil),
            ("Content-Length: 1234567890123456789", nil), ("Content-Length: ٣", nil),
        ] as [(String, RequestHead.Framing?)]
    )
    func `a body ends where every reader finds its end, or the head is refused`(
        lines: String,
        framing: RequestHead.Framing?
    ) throws {
        let head = RequestHead(method: "POST", target: "/", headers: try HTTPHeaders(lines: lines))
        #expect((try? head.framing()) == framing)
    }

    @Test func `HTTP 1_0 has no chunks`() throws {
        let headers = try HTTPHeaders(lines: "Transfer-Encoding: chunked")
        let head = RequestHead(method: "POST", target: "/", version: .http1_0, headers: headers)
        #expect(throws: HTTPMessageError.self) { try head.framing() }
    }

    @Test(arguments: [
        ("1.1", "", false), ("1.1", "Connection: Close", true), ("1.0", "", true),
        ("1.0", "Connection: keep-alive", false), ("1.1", "Connection: x|Connection: close", true),
    ])
    func `a client says that it closes`(version: String, lines: String, closes: Bool) throws {
        let version = try #require(HTTPVersion(rawValue: version))
        let headers = try HTTPHeaders(lines: lines)
        let head = RequestHead(method: "GET", target: "/", version: version, headers: headers)
        #expect(head.wantsClose == closes)
    }
}
