import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTPListener

/// A responder whose responses to paths below `/p` are prepared when they are sent first.
private struct PreparingResponder: PreparedResponding {
    /// Counts the uses of its response, which is valid while a test says so.
    final class Content: PreparedContent {
        let isValid = Guarded(true)
        let begun = Guarded<UInt64>(0)
        let uses = Recorder<PreparedUse>()

        func begin() -> UInt64? {
            guard isValid.withLock({ $0 }) else { return nil }
            return begun.withLock {
                $0 += 1
                return $0
            }
        }

        func ended(_ use: PreparedUse) { uses.record(use) }
    }

    let content = Content()
    /// The requests that the responder was called for.
    let calls = Recorder<IncomingRequest>()
    let refused = Recorder<RefusedRequest>()
    private let body: [UInt8]
    private let stored = Guarded<[String: PreparedResponse]>([:])

    init(body: [UInt8] = Array("prepared".utf8)) {
        self.body = body
    }

    func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        calls.record(request)
        let headers = fields([("ETag", "\"1\""), ("X-Request-ID", "first"), ("Content-Type", "image/jpeg")])
        return .now(OutgoingResponse(200, headers, .bytes(body)))
    }

    func response(to request: IncomingRequest) async -> OutgoingResponse {
        await firstAnswer(to: request).response()
    }
    func requestRefused(_ request: RefusedRequest) { refused.record(request) }

    func prepare(_ response: OutgoingResponse, to request: IncomingRequest, from name: String) {
        guard request.target.hasPrefix("/p") else { return }
        let prepared = PreparedResponse(
            response,
            target: request.target,
            from: name,
            idName: "X-Request-ID",
            content
        )
        stored.withLock { $0[request.target] = prepared }
    }

    func prepared(for target: UnsafeRawBufferPointer) -> PreparedResponse? {
        stored.withLock { stored in stored.values.first { unsafe $0.answers(target) } }
    }
}

/// Responses that are sent again without calling the responder.
@Suite(.timeLimit(.minutes(2)))
struct PreparedTests {
    private func withPrepared(
        _ responder: PreparingResponder,
        target: String = "/p",
        threads: Int = 2,
        _ body: (HTTPListener, RawClient) async throws -> Void
    ) async throws {
        var configuration = HTTPListenerConfiguration()
        configuration.port = 0
        configuration.threads = threads
        try await withQuietCheck { _ in
            try await withThreadExecutor(name: "raw client", threads: 8) { executor in
                try await withHTTPListener(configuration, answering: responder) { listener in
                    let client = RawClient(port: listener.port, executor: executor)
                    let first = try await client.get(target)
                    #expect(first.status == 200 && first.field("X-Request-ID") == "first")
                    try await body(listener, client)
                }
            }
        }
    }

    @Test func `a response is repeated with another ID`() async throws {
        let responder = PreparingResponder()
        try await withPrepared(responder, target: "/p/a%20b?c=%00&d") { _, client in
            let connection = try client.connect()
            for number in 1...3 {
                try await connection.send(
                    request("GET", "/p/a%20b?c=%00&d", ["accept: */*", "Connection: keep-alive"])
                )
                let answer = try await connection.answer()
                #expect(answer.status == 200 && answer.bodyText == "prepared")
                #expect(answer.field("X-Request-ID") == "000000000000000\(number)")
                #expect(answer.head.split(separator: "\r\n").count { $0.hasPrefix("X-Request-ID") } == 1)
                #expect(answer.field("ETag") == "\"1\"" && answer.field("Content-Type") == "image/jpeg")
                #expect(answer.field("Accept-Ranges") == "bytes" && answer.field("Server") == "calotype")
                #expect(answer.field("Connection") == nil && answer.field("Date") != nil)
            }
            let last = try await client.get("/p/a%20b?c=%00&d")
            #expect(last.field("Connection") == "close" && last.end == .closed)
        }
        let uses = try await responder.content.uses.wait(count: 4)
        #expect(uses.map(\.id) == [1, 2, 3, 4])
        #expect(uses.allSatisfy { $0.isComplete && $0.sentBytes == 8 && $0.client == "127.0.0.1" })
        #expect(responder.calls.count == 1)
    }

    @Test func `requests in one packet receive their responses in order`() async throws {
        let responder = PreparingResponder()
        try await withPrepared(responder) { _, client in
            let connection = try client.connect()
            let others = request("GET", "/other") + request("GET", "/p", ["Connection: close"])
            try await connection.send(request("GET", "/p") + request("GET", "/p") + others)
            let text = try await connection.receive().text
            let ids = text.split(separator: "\r\n").filter { $0.hasPrefix("X-Request-ID") }.map {
                $0.suffix(5)
            }
            #expect(ids == ["00001", "00002", "first", "00003"])
        }
        #expect(responder.calls.values.map(\.target) == ["/p", "/other"])
    }

    @Test(arguments: [
        (["If-None-Match: \"1\""], 304), (["if-none-match: \"2\""], 200), (["If-Match: \"2\""], 412),
        (["If-Modified-Since: x"], 200), (["IF-RANGE: \"1\"", "Range: bytes=0-1"], 206),
        (["Range: bytes=100-"], 416), (["X-Request-ID: mine"], 200),
        (["Content-Length: 0"], 200), (["X.Odd: name"], 200),
    ])
    func `special requests are passed to the responder`(_ fields: [String], _ status: Int) async throws {
        let responder = PreparingResponder()
        try await withPrepared(responder) { _, client in
            let answer = try await client.get("/p", fields[0], fields.count > 1 ? fields[1] : "X-Other: 1")
            #expect(answer.status == status)
            #expect(responder.calls.count == 2)
        }
        #expect(responder.content.begun.withLock { $0 } == 0)
    }

    @Test func `special requests and others share a connection`() async throws {
        let responder = PreparingResponder()
        try await withPrepared(responder) { _, client in
            let connection = try client.connect()
            for number in 1...3 {
                try await connection.send(request("GET", "/p", ["X-Request-ID: mine"]))
                let special = try await connection.answer()
                #expect(special.bodyText == "prepared" && special.field("X-Request-ID") == "first")
                try await connection.send(request("GET", "/p"))
                let repeated = try await connection.answer()
                #expect(repeated.bodyText == "prepared")
                #expect(repeated.field("X-Request-ID") == "000000000000000\(number)")
            }
        }
        #expect(responder.calls.count == 4)
    }

    @Test(arguments: [
        "GET /p HTTP/1.1\r\n\r\n", "GET /p HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /p HTTP/1.1\nHost: a\r\n\r\n",
        "GET /p HTTP/1.1\r\nHost: a\r\nX: b\n\r\n", "GET /p HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n",
        "GET /p HTTP/1.1\r\nHost: a b\r\n\r\n", "GET /p HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n",
        "GET /p HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n\r\n", "GET /p HTTP/1.1\r\nHost: a\r\nX(: b\r\n\r\n",
        "GET /p HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
        "GET /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ])
    func `ambiguous heads are refused as ever`(_ text: String) async throws {
        let responder = PreparingResponder()
        try await withPrepared(responder) { _, client in
            let answer = try await client.exchange(text)
            #expect(answer.status == 400 && answer.end != .timedOut)
        }
        #expect(responder.calls.count == 1 && responder.content.begun.withLock { $0 } == 0)
    }

    @Test(arguments: ["HEAD", "POST", "OPTIONS"])
    func `other methods and old clients are passed to the responder`(_ method: String) async throws {
        let responder = PreparingResponder()
        try await withPrepared(responder) { _, client in
            let answer = try await client.exchange(request(method, "/p", ["Connection: close"]))
            #expect(answer.status == 200 && answer.body.isEmpty == (method == "HEAD"))
            let old = try await client.exchange("GET /p HTTP/1.0\r\n\r\n")
            #expect(old.bodyText == "prepared")
        }
        #expect(responder.calls.count == 3 && responder.content.uses.count == 0)
    }

    @Test func `a response that is no longer valid is not repeated`() async throws {
        let responder = PreparingResponder()
        try await withPrepared(responder) { _, client in
            let repeated = try await client.get("/p").field("X-Request-ID")
            #expect(repeated == "0000000000000001")
            responder.content.isValid.withLock { $0 = false }
            let called = try await client.get("/p").field("X-Request-ID")
            #expect(called == "first")
        }
        #expect(responder.calls.count == 2)
    }

    @Test func `the limits of heads hold`() async throws {
        let responder = PreparingResponder()
        try await withPrepared(responder) { _, client in
            let many = try await client.exchange(request("GET", "/p", (0..<100).map { "X-\($0): a" }))
            #expect(many.status == 431)
            let long = try await client.exchange(
                request("GET", "/p", (0..<90).map { "X-\($0): \(String(repeating: "a", count: 400))" })
            )
            #expect(long.status == 431)
        }
        #expect(responder.content.begun.withLock { $0 } == 0)
    }

    @Test func `while the listener drains, each response ends its connection`() async throws {
        let responder = PreparingResponder()
        try await withPrepared(responder) { listener, client in
            let late = try client.connect()
            try await late.send("GET /p HTTP/1.1\r\nHo")
            // Connections are accepted in order, so the one before this has been.
            let early = try await client.get("/p").field("X-Request-ID")
            #expect(early == "0000000000000001")
            async let drained: Void = listener.drain(within: .seconds(60))
            while (try? client.connect()) != nil { await Task.yield() }
            try await late.send("st: a\r\n\r\n")
            let answer = try await late.receive()
            #expect(answer.bodyText == "prepared" && answer.field("Connection") == "close")
            #expect(answer.field("X-Request-ID") == "first" && answer.end == .closed)
            await drained
        }
    }

    @Test func `clients that leave are counted, and disturb nobody`() async throws {
        let responder = PreparingResponder(body: [UInt8](repeating: 7, count: 64 << 10))
        let count = 200
        try await withPrepared(responder) { listener, client in
            for number in 0..<count {
                let connection = try client.connect(receiveBuffer: 4_096)
                // Many at a time, more than the kernel takes.
                try await connection.send(String(repeating: request("GET", "/p"), count: 40))
                if number % 2 == 0 { connection.reset() } else { connection.close() }
            }
            while listener.openConnections > 0 { await Task.yield() }
            let answer = try await client.get("/p")
            #expect(answer.body.count == 64 << 10)
        }
        let begun = Int(responder.content.begun.withLock { $0 })
        let uses = responder.content.uses.values
        #expect(uses.count == begun && Set(uses.map(\.id)).count == begun)
        #expect(uses.contains { !$0.isComplete } && uses.allSatisfy { $0.isComplete || $0.sentBytes == 0 })
    }

    @Test(arguments: [(127, 1), (128, 1), (129, 1), (256, 1), (256, 4)])
    func `simultaneous requests receive prepared responses`(_ count: Int, _ threads: Int) async throws {
        let responder = PreparingResponder()
        let end = Array("\r\n\r\nprepared".utf8)
        try await withPrepared(responder, threads: threads) { listener, client in
            let connections = try (0..<count).map { _ in try client.connect() }
            try await client.executor.run {
                for _ in 0..<40 {
                    for connection in connections { try connection.sendNow(Array(request("GET", "/p").utf8)) }
                    for connection in connections {
                        let answer = connection.receiveNow { $0.bytes.suffix(end.count).elementsEqual(end) }
                        try #require(answer.end == .enough)
                    }
                }
            }
            while listener.openConnections > count { await Task.yield() }
        }
        #expect(responder.calls.count == 1)
        #expect(Set(responder.content.uses.values.map(\.id)).count == 40 * count)
    }
}
