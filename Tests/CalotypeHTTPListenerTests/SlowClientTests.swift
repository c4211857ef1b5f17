import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

/// Clients that take their time (H07), and many of them (H08).
///
/// Times are short here, and only bounds are tested.
@Suite(.timeLimit(.minutes(1)))
struct SlowClientTests {
    private let echo = ScriptedResponder { .text("\($0.method) \($0.target)") }

    @Test func `a client that sends nothing is closed without a word`() async throws {
        try await withTestListener(echo, configure: { $0.idleTimeout = .milliseconds(200) }) { _, client in
            let connection = try client.connect()
            let received = try await connection.receive()
            #expect(received.bytes.isEmpty)
            #expect(received.end == .closed)
        }
    }

    @Test(arguments: ["G", "GET / HTTP/1.1\r\nHo", "\r\n"])
    func `a head that does not arrive in time is reported`(_ part: String) async throws {
        try await withTestListener(echo, configure: { $0.headTimeout = .milliseconds(200) }) { _, client in
            let connection = try client.connect()
            try await connection.send(part)
            let received = try await connection.receive()
            #expect(received.status == 408)
            #expect(received.end == .closed)
        }
    }

    @Test func `a head byte by byte does not win time`() async throws {
        try await withTestListener(echo, configure: { $0.headTimeout = .milliseconds(200) }) { _, client in
            let connection = try client.connect()
            async let received = connection.receive()
            for byte in request("GET", "/").utf8.prefix(20) {
                guard (try? await connection.send([byte])) != nil else { break }
                try await ContinuousClock().sleep(for: .milliseconds(50))
            }
            let status = try await received.status
            #expect(status == 408)
        }
    }

    @Test func `the second head of a connection has its time too`() async throws {
        let configure = { (configuration: inout HTTPListenerConfiguration) in
            configuration.headTimeout = .seconds(1)
        }
        try await withTestListener(echo, configure: configure) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/1") + "GET /2 HTTP/1.1\r\n")
            let received = try await connection.receive()
            #expect(received.text.contains("GET /1HTTP/1.1 408 "))
        }
    }

    @Test func `a connection is kept for the next request, and not for ever`() async throws {
        let configure = { (configuration: inout HTTPListenerConfiguration) in
            configuration.keepAliveTimeout = .milliseconds(300)
        }
        try await withTestListener(echo, configure: configure) { _, client in
            let connection = try client.connect()
            try await connection.send(request("GET", "/1"))
            _ = try await connection.answer()
            let answered = ContinuousClock.now
            let received = try await connection.receive()
            #expect(received.bytes.isEmpty && received.end == .closed)
            #expect(ContinuousClock.now - answered >= .milliseconds(250))
        }
    }

    @Test func `a body that does not come is waited for no longer than that`() async throws {
        let responder = ScriptedResponder { request in
            _ = try? await request.body.collect()
            return .text("never")
        }
        try await withTestListener(responder, configure: { $0.idleTimeout = .milliseconds(300) }) {
            _,
            client in
            let connection = try client.connect()
            try await connection.send(request("POST", "/", ["Content-Length: 100"], body: "abc"))
            let received = try await connection.receive()
            #expect(received.bytes.isEmpty)
            try await responder.finished.wait(count: 1)
        }
    }

    @Test func `a response may take time`() async throws {
        let responder = ScriptedResponder { _ in
            try? await ContinuousClock().sleep(for: .milliseconds(400))
            return .text("at last")
        }
        let configure = { (configuration: inout HTTPListenerConfiguration) in
            configuration.idleTimeout = .milliseconds(100)
            configuration.headTimeout = .milliseconds(100)
        }
        try await withTestListener(responder, configure: configure) { _, client in
            let answer = try await client.get("/")
            #expect(answer.bodyText == "at last")
        }
    }

    @Test func `a client that does not read its response is disconnected`() async throws {
        let bytes = [UInt8](repeating: 1, count: 20 << 20)
        let responder = ScriptedResponder { _ in OutgoingResponse(200, HTTPHeaders(), .bytes(bytes)) }
        try await withTestListener(responder, configure: { $0.idleTimeout = .milliseconds(300) }) {
            _,
            client in
            let connection = try client.connect(receiveBuffer: 4096)
            try await connection.send(request("GET", "/"))
            let finished = try await responder.finished.wait(count: 1)[0]
            #expect(!finished.isComplete && finished.sentBytes < bytes.count)
        }
    }

    @Test func `a client that is slow but not too slow gets its response`() async throws {
        let bytes = [UInt8](repeating: 1, count: 4 << 20)
        let responder = ScriptedResponder { _ in OutgoingResponse(200, HTTPHeaders(), .bytes(bytes)) }
        try await withTestListener(responder, configure: { $0.idleTimeout = .seconds(1) }) {
            _,
            client in
            let connection = try client.connect(receiveBuffer: 65_536)
            try await connection.send(request("GET", "/", ["Connection: close"]))
            var sum = 0
            while case let count = try await connection.drop(64 << 10), count > 0 {
                sum += count
                try await ContinuousClock().sleep(for: .milliseconds(50))
            }
            #expect(sum > bytes.count)
        }
    }

    @Test func `a thousand idle clients and two hundred slow ones leave others served`()
        async throws
    {
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        let responder = ScriptedResponder { request in
            request.target == "/large" ? OutgoingResponse(200, HTTPHeaders(), .bytes(bytes)) : .text("small")
        }
        try await withTestListener(responder) { listener, client in
            let idle = try (0..<1000).map { _ in try client.connect() }
            for connection in idle.prefix(500) {
                try await connection.send(request("GET", "/"))
                _ = try await connection.answer()
            }
            let slow = try (0..<200).map { _ in try client.connect(receiveBuffer: 4096) }
            for connection in slow { try await connection.send(request("GET", "/large")) }
            for _ in 0..<100 {
                let answer = try await client.get("/")
                #expect(answer.bodyText == "small")
            }
            #expect(listener.openConnections >= 1200)
            for connection in idle + slow { connection.close() }
        }
    }

    @Test func `connections beyond the limit wait until others have ended`() async throws {
        try await withTestListener(echo, configure: { $0.connections = 4 }) { listener, client in
            let first = try (0..<4).map { _ in try client.connect() }
            for connection in first {
                try await connection.send(request("GET", "/"))
                _ = try await connection.answer()
            }
            let late = try client.connect()
            try await late.send(request("GET", "/late"))
            async let answer = late.answer()
            #expect(listener.openConnections == 4)
            first[0].close()
            let text = try await answer.bodyText
            #expect(text == "GET /late")
        }
    }

    @Test func `connections of one address have a limit`() async throws {
        try await withTestListener(echo, configure: { $0.connectionsPerAddress = 2 }) { _, client in
            let kept = try (0..<2).map { _ in try client.connect() }
            for connection in kept {
                try await connection.send(request("GET", "/"))
                _ = try await connection.answer()
            }
            let third = try client.connect()
            let received = try await third.receive()
            #expect(received.bytes.isEmpty)
            kept[0].close()
            // Its end is seen a moment later.
            var answers: [Int?] = []
            while !answers.contains(200), answers.count < 1000 {
                answers.append(try? await client.get("/").status)
            }
            #expect(answers.last == 200)
        }
    }
}
