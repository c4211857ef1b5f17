import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ExchangeTests {
    private let echo = ScriptedResponder { .text("\($0.method) \($0.target)") }

    @Test func `a listener accepts only local connections by default`() {
        #expect(HTTPListenerConfiguration().host == "127.0.0.1")
    }

    @Test func `a response from a task has length, date and server`() async throws {
        try await withTestListener(echo) { _, client in
            let answer = try await client.get("/a")
            #expect(answer.status == 200)
            #expect(answer.bodyText == "GET /a")
            #expect(answer.field("Content-Length") == "6")
            #expect(answer.field("Server") == "calotype")
            #expect(answer.field("Date")?.hasSuffix("GMT") == true)
            #expect(answer.field("Connection") == "close")
        }
    }

    @Test func `a response known immediately needs no task`() async throws {
        let responder = ScriptedResponder(
            immediate: { _ in .text("at once") },
            answer: { _ in .text("late") }
        )
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/")
            #expect(answer.bodyText == "at once")
        }
        let finished = responder.finished.values
        #expect(finished.map(\.sentBytes) == [7])
        #expect(finished.map(\.isComplete) == [true])
        #expect(finished.map(\.status) == [200])
    }

    @Test func `a connection serves one request after another`() async throws {
        try await withTestListener(echo) { listener, client in
            let connection = try client.connect()
            for path in ["/1", "/2", "/3"] {
                try await connection.send(request("GET", path))
                let answer = try await connection.answer()
                #expect(answer.bodyText == "GET \(path)")
                #expect(answer.field("Connection") == nil)
            }
            #expect(listener.openConnections == 1)
        }
        #expect(echo.finished.count == 3)
    }

    @Test func `pipelined requests receive responses in order`() async throws {
        try await withTestListener(echo) { _, client in
            let requests =
                request("GET", "/1") + request("GET", "/2") + request("GET", "/3", ["Connection: close"])
            let received = try await client.exchange(requests)
            let text = received.text
            let places = ["GET /1", "GET /2", "GET /3"].compactMap { text.firstRange(of: $0)?.lowerBound }
            #expect(places.count == 3 && places == places.sorted())
            #expect(received.end == .closed)
        }
    }

    @Test(arguments: [
        "/a%2Fb%00c?x=%41&y", "/plain/https://h/a?b#c", "/a//../b", "/%", "/é", "http://h/a", "/?a&b&c=d",
    ])
    func `the target is as it came`(_ target: String) async throws {
        try await withTestListener(echo) { _, client in
            let answer = try await client.get(target)
            #expect(answer.bodyText == "GET \(target)")
        }
    }

    @Test func `header fields keep their order and their case`() async throws {
        let responder = ScriptedResponder { request in
            .text(request.headers.map { "\($0.name)=\($0.value)" }.joined(separator: "|"))
        }
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/", "B: 2", "a:1", "B:\t 3 \t", "C:")
            #expect(answer.bodyText == "Host=test|B=2|a=1|B=3|C=|Connection=close")
        }
    }

    @Test func `HEAD returns the header fields of GET, and no body`() async throws {
        let responder = ScriptedResponder { _ in
            .text("12345", ("ETag", "\"a\""), ("Content-Type", "text/plain"))
        }
        try await withTestListener(responder) { _, client in
            let get = try await client.get("/")
            let head = try await client.exchange(request("HEAD", "/", ["Connection: close"]))
            #expect(head.body.isEmpty)
            #expect(head.field("Content-Length") == "5")
            let fields = { (text: String) in text.split(separator: "\r\n").filter { !$0.hasPrefix("Date:") } }
            #expect(fields(head.head) == fields(get.head))
        }
        #expect(Set(responder.finished.values.map(\.sentBytes)) == [0, 5])
    }

    @Test(arguments: ["HEAD", "GET"])
    func `a response without body and length ends with its head, and so does the connection`(
        _ method: String
    ) async throws {
        let responder = ScriptedResponder { request in
            request.method == "HEAD"
                ? OutgoingResponse(200, HTTPHeaders(), .stream(length: nil, Pieces(["ab"])))
                : OutgoingResponse(304, HTTPHeaders(), .none)
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request(method, "/"))
            let received = try await connection.receive()
            #expect(received.end == .closed)
            // The end of the chunks of a body would be taken for the next answer.
            #expect(received.text.hasSuffix("\r\n\r\n") && received.body.isEmpty)
            #expect(received.field("Content-Length") == nil)
            #expect(received.field("Transfer-Encoding") == nil)
            #expect(received.field("Connection")?.lowercased() == "close")
        }
    }

    @Test func `a response of several megabytes arrives complete`() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let responder = ScriptedResponder { _ in OutgoingResponse(200, HTTPHeaders(), .bytes(bytes)) }
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/")
            #expect(answer.body == bytes)
        }
        #expect(responder.finished.values.map(\.sentBytes) == [bytes.count])
    }

    @Test func `an IPv6 address is listened on`() async throws {
        try await withTestListener(echo, configure: { $0.host = "::" }) { _, client in
            let answer = try await client.get("/a")
            #expect(answer.bodyText == "GET /a")
        }
        #expect(echo.finished.values.map(\.request.client) == ["127.0.0.1"])
    }

    @Test func `an address that cannot be listened on is an error`() async throws {
        try await withTestListener(echo) { listener, _ in
            var configuration = HTTPListenerConfiguration()
            configuration.port = listener.port
            await #expect(throws: (any Error).self) {
                try await withHTTPListener(configuration, answering: echo) { _ in }
            }
            configuration.host = "no address"
            await #expect(throws: (any Error).self) {
                try await withHTTPListener(configuration, answering: echo) { _ in }
            }
        }
    }
}
