import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow
import Testing

/// What is refused of heads: limits (H06), and what two readers might read in two ways (H05).
@Suite(.timeLimit(.minutes(1)))
struct HeadTests {
    private let echo = ScriptedResponder { .text("\($0.method) \($0.target)") }

    /// Sends `text`, after which another request seems to follow, and expects one answer and the end.
    private func expectRefusal(_ text: String, _ status: Int) async throws {
        try await withTestListener(echo) { _, client in
            let received = try await client.exchange(text)
            #expect(received.status == status)
            #expect(received.end == .closed)
            #expect(received.field("Connection") == "close")
            #expect(received.text.ranges(of: "HTTP/1.1 ").count == 1)
        }
        #expect(echo.finished.count == 0)
    }

    @Test(arguments: [
        "Content-Length: 3\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 3",
        "Content-Length: 3\r\nContent-Length: 3", "Content-Length: 3\r\nContent-Length: 4",
        "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding:\u{b}chunked",
        "Transfer-Encoding : chunked", "Content-Length : 3",
    ])
    func `a body whose end two readers see in two places is refused`(_ fields: String) async throws {
        let smuggled = request("GET", "/smuggled")
        try await expectRefusal("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\nabc" + smuggled, 400)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\r\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\nA: b\nC: d\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n\tc\r\nD: e\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nA: b\rC: d\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nA: b\0c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nA : c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: c\r\n\r\n", "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
    ])
    func `a head that is not exactly what it says is refused`(_ head: String) async throws {
        try await expectRefusal(head + request("GET", "/smuggled"), 400)
    }

    @Test(arguments: ["Content-Length: 3, 3", "Content-Length: +3", "Content-Length: x", "Content-Length:"])
    func `a length that is no number is refused`(_ field: String) async throws {
        try await withTestListener(echo) { _, client in
            let received = try await client.exchange(
                "POST / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\nabc" + request("GET", "/smuggled")
            )
            #expect(received.status == 400)
            #expect(received.end == .closed)
        }
        #expect(echo.finished.count == 0)
    }

    @Test(arguments: ["GET", "HEAD"])
    func `a body of a method without one is refused`(_ method: String) async throws {
        try await expectRefusal(request(method, "/", ["Content-Length: 3"], body: "abc"), 400)
        try await expectRefusal(request(method, "/", ["Transfer-Encoding: chunked"], body: "0\r\n\r\n"), 400)
    }

    @Test func `a length of zero is no body`() async throws {
        try await withTestListener(echo) { _, client in
            let answer = try await client.get("/", "Content-Length: 0")
            #expect(answer.status == 200)
        }
    }

    @Test func `an expectation that is not known is refused`() async throws {
        try await expectRefusal(
            request("POST", "/", ["Content-Length: 3", "Expect: wonders"], body: "abc"),
            417
        )
    }

    @Test func `a request line has a limit`() async throws {
        let longest = String(repeating: "a", count: 16_384 - "GET / HTTP/1.1".utf8.count)
        try await withTestListener(echo) {
            $0.headerBytes = .kibibytes(32)
        } _: { _, client in
            let answer = try await client.get("/" + longest)
            #expect(answer.status == 200)
            let refused = try await client.get("/a" + longest)
            #expect(refused.status == 414)
            let huge = try await client.get("/" + String(repeating: "a", count: 1 << 20))
            #expect(huge.status == 414)
        }
    }

    @Test func `a head has a limit`() async throws {
        try await withTestListener(echo) { _, client in
            let value = { (count: Int) in "A: " + String(repeating: "a", count: count) }
            let largest = 16_384 - request("GET", "/", ["Connection: close", "A: "]).utf8.count
            let answer = try await client.get("/", value(largest))
            #expect(answer.status == 200)
            let refused = try await client.get("/", value(largest + 1))
            #expect(refused.status == 431)
            let huge = try await client.get("/", value(1 << 20))
            #expect(huge.status == 431)
        }
        #expect(echo.refused.values.map(\.status) == [431])
    }

    @Test func `header fields have a limit`() async throws {
        try await withTestListener(echo) { _, client in
            let fields = { (count: Int) in
                (0..<count).map { "A\($0): b" } + ["Connection: close"]
            }
            let answer = try await client.exchange(request("GET", "/", fields(98)))
            #expect(answer.status == 200)
            let refused = try await client.exchange(request("GET", "/", fields(99)))
            #expect(refused.status == 431)
            let huge = try await client.exchange(request("GET", "/", fields(10_000)))
            #expect(huge.status == 431)
        }
    }

    @Test func `a query of many pieces is a query like any other`() async throws {
        let target = "/?" + String(repeating: "&", count: 15_000)
        try await withTestListener(echo) { _, client in
            let answer = try await client.get(target)
            #expect(answer.bodyText == "GET \(target)")
        }
    }

    @Test func `a target that is no UTF-8 is refused`() async throws {
        try await withTestListener(echo) { _, client in
            let connection = try client.connect()
            try await connection.send(
                Array("GET /".utf8) + [0xFF] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            )
            let answer = try await connection.receive()
            #expect(answer.status == 400)
        }
    }

    @Test func `an HTTP 1_0 request receives a response, and its connection is closed`() async throws {
        try await withTestListener(echo) { _, client in
            let answer = try await client.exchange("GET /a HTTP/1.0\r\n\r\n")
            #expect(answer.bodyText == "GET /a")
            #expect(answer.end == .closed)
            let chunked = try await client.exchange("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n")
            #expect(chunked.status == 400)
        }
    }

    @Test(arguments: ["HTTP/2.0", "HTTP/0.9", "http/1.1", "HTTP/1.1 "])
    func `another version is refused`(_ version: String) async throws {
        try await withTestListener(echo) { _, client in
            let answer = try await client.exchange("GET / \(version)\r\nHost: a\r\n\r\n")
            #expect(answer.status == 400 || answer.status == 505)
            #expect(answer.end == .closed)
        }
    }
}
