import CalotypeOrigin
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BodyTests {
    private static func post(_ path: String, _ body: String, _ fields: String...) -> String {
        let lines = ["POST \(path) HTTP/1.1", "Host: x", "Content-Length: \(body.utf8.count)"] + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// Of the three bytes `abc`, by sha256sum.
    private static let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `a body is taken, and what follows it is the next request`() async throws {
        try await withTestOrigin { origin, client in
            let answer = await client.send(
                Self.post("/receive", "abc") + Self.post("/receive", "")
                    + "GET /list.txt HTTP/1.1\r\nConnection: close\r\n\r\n"
            )
            let text = String(decoding: answer.bytes, as: UTF8.self)
            let told = #"{"method":"POST","length":3,"sha256":"\#(Self.digest)"}"#
            #expect(text.replacing(" ", with: "").contains(told))
            #expect(text.split(separator: "HTTP/1.1 201 Created").count == 2)
            #expect(text.contains("HTTP/1.1 200 OK"))
            let counts = try await origin.statistics { $0.openConnections == 0 }
            #expect(counts.requests == 3)
            #expect(counts.connections == 1)
            #expect(counts.bytesReceived == 3)
        }
    }

    @Test func `the first caller is admitted`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.send(
                Self.post("/receive", "abc", "Expect: 100-continue", "Connection: close")
            )
            let text = String(decoding: answer.bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n"))
        }
    }

    @Test(arguments: [
        ("POST /receive HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        ("POST /receive HTTP/1.1\r\nContent-Length: many\r\n\r\n", 411),
        ("POST /receive HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 411),
        ("POST /receive?most=2 HTTP/1.1\r\nContent-Length: 3\r\n\r\n", 413),
        ("POST /list.txt HTTP/1.1\r\nContent-Length: 3\r\n\r\n", 405),
        ("GET /receive HTTP/1.1\r\nConnection: close\r\n\r\n", 405),
        ("POST /receive-cut/200 HTTP/1.1\r\nContent-Length: 3\r\n\r\n", 400),
    ])
    func `a refused request gets a response immediately, and the connection closes`(
        request: String,
        status: Int
    ) async throws {
        try await withTestOrigin { origin, client in
            let answer = await client.send(request)
            #expect(answer.status == status)
            #expect(answer.end == .closed)
            _ = try await origin.statistics { $0.openConnections == 0 }
        }
    }

    @Test func `a client that leaves in its body is counted, and nothing waits for it`() async throws {
        try await withTestOrigin { origin, client in
            let request = "POST /receive HTTP/1.1\r\nContent-Length: 1000\r\n\r\nabc"
            _ = await client.send(request, limit: 0)
            let counts = try await origin.statistics { $0.earlyHangUps == 1 && $0.openConnections == 0 }
            #expect(counts.bytesReceived == 3)
        }
    }

    @Test(arguments: ["cut", "reset"])
    func `a body is taken in part`(ending: String) async throws {
        try await withTestOrigin { origin, client in
            let answer = await client.send(Self.post("/receive-\(ending)/50", "abcdef"))
            #expect(answer.bytes.isEmpty)
            let counts = try await origin.statistics { $0.openConnections == 0 }
            #expect((3...6).contains(counts.bytesReceived))
        }
    }
}
