import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow
import Testing

/// Bodies of requests, and answers that come as streams.
@Suite(.timeLimit(.minutes(1)))
struct BodyTests {
    private let echo = ScriptedResponder { request in
        do {
            return OutgoingResponse(200, HTTPHeaders(), .bytes(try await request.body.collect()))
        } catch {
            return .text("\(error)")
        }
    }

    @Test func `a body of known length is read, and the connection ends with the response`() async throws {
        try await withTestListener(echo) { _, client in
            let next = request("GET", "/smuggled")
            let answer = try await client.exchange(
                request("POST", "/", ["Content-Length: 3"], body: "abc") + next
            )
            #expect(answer.status == 200)
            #expect(answer.bodyText == "abc")
            #expect(answer.field("Connection") == "close")
        }
        #expect(echo.finished.count == 1)
    }

    @Test func `a body in chunks is read`() async throws {
        try await withTestListener(echo) { _, client in
            let body = "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: a\r\n\r\n"
            let answer = try await client.exchange(
                request("POST", "/", ["Transfer-Encoding: chunked"], body: body)
            )
            #expect(answer.bodyText == "abcdefg")
        }
    }

    @Test(arguments: ["x\r\nabc", "3\r\nabcd\r\n", "-3\r\nabc\r\n", "ffffffffffffffffff\r\nabc\r\n"])
    func `chunks that are none are refused`(_ body: String) async throws {
        try await withTestListener(echo) { _, client in
            let answer = try await client.exchange(
                request("POST", "/", ["Transfer-Encoding: chunked"], body: body)
            )
            #expect(answer.status == 400 || answer.status == 413)
            #expect(answer.end == .closed)
        }
    }

    @Test func `a large body comes whole`() async throws {
        let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try await withTestListener(echo) { _, client in
            let connection = try client.connect()
            try await connection.send(
                Array(request("PUT", "/", ["Content-Length: \(bytes.count)"]).utf8) + bytes
            )
            let answer = try await connection.receive()
            #expect(answer.body == bytes)
        }
    }

    @Test func `a slow reader slows its client down`() async throws {
        let goesOn = Event()
        let responder = ScriptedResponder { request in
            try? await goesOn.wait()
            let bytes = try? await request.body.collect()
            return .text("\(bytes?.count ?? -1)")
        }
        let count = 12 << 20
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("PUT", "/", ["Content-Length: \(count)"]))
            let sent = Event()
            async let sending: Void = {
                try await connection.send([UInt8](repeating: 1, count: count))
                sent.signal()
            }()
            try await ContinuousClock().sleep(for: .milliseconds(200))
            #expect(!sent.hasHappened)
            goesOn.signal()
            try await sending
            let answer = try await connection.receive()
            #expect(answer.bodyText == "\(count)")
        }
    }

    @Test func `a client that expects 100-continue receives it when its body is wanted`() async throws {
        try await withTestListener(echo) { _, client in
            let connection = try client.connect()
            try await connection.send(request("POST", "/", ["Content-Length: 3", "Expect: 100-continue"]))
            let go = try await connection.receive { $0.text.hasSuffix("\r\n\r\n") }
            #expect(go.text == "HTTP/1.1 100 Continue\r\n\r\n")
            try await connection.send("abc")
            let answer = try await connection.receive()
            #expect(answer.bodyText == "abc")
        }
    }

    @Test func `a client that expects 100-continue is refused immediately if its body is not wanted`()
        async throws
    {
        let responder = ScriptedResponder { _ in OutgoingResponse(403) }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("POST", "/", ["Content-Length: 3", "Expect: 100-continue"]))
            let answer = try await connection.receive()
            #expect(answer.status == 403)
            #expect(answer.end == .closed)
        }
    }

    @Test func `a body that is said to be too long is refused before it comes`() async throws {
        try await withTestListener(echo, configure: { $0.bodyBytes = ByteCount(1000) }) { _, client in
            let connection = try client.connect()
            try await connection.send(request("POST", "/", ["Content-Length: 1001", "Expect: 100-continue"]))
            let answer = try await connection.receive()
            #expect(answer.status == 413)
        }
    }

    @Test(arguments: [("/large", 5000, 200), ("/large", 5001, 413), ("/small", 10, 200), ("/small", 11, 413)])
    func `the responder may give a body another limit, by the head`(
        path: String,
        length: Int,
        status: Int
    ) async throws {
        var responder = echo
        responder.bodyLimit = { ByteCount($0.target == "/large" ? 5000 : 10) }
        try await withTestListener(responder, configure: { $0.bodyBytes = ByteCount(1000) }) { _, client in
            let connection = try client.connect()
            try await connection.send(request("POST", path, ["Content-Length: \(length)"]))
            if status == 200 { try await connection.send([UInt8](repeating: 1, count: length)) }
            let answer = try await connection.receive()
            #expect(answer.status == status)
            if status == 200 { #expect(answer.body.count == length) }
            // One in chunks is counted.
            let chunked = try client.connect()
            let fields = ["Transfer-Encoding: chunked"]
            let body =
                String(length, radix: 16) + "\r\n" + String(repeating: "a", count: length) + "\r\n0\r\n\r\n"
            try await chunked.send(request("POST", path, fields, body: body))
            let counted = try await chunked.receive()
            #expect(counted.status == status)
        }
    }

    @Test func `a body in chunks that grows too long is refused`() async throws {
        let failures = Recorder<String>()
        let responder = ScriptedResponder { request in
            do {
                _ = try await request.body.collect()
            } catch let error as HTTPListenerError {
                failures.record(error.code.description)
            } catch {
                failures.record("\(error)")
            }
            return .text("not sent")
        }
        try await withTestListener(responder, configure: { $0.bodyBytes = ByteCount(1000) }) { _, client in
            let connection = try client.connect()
            try await connection.send(request("POST", "/", ["Transfer-Encoding: chunked"]))
            for _ in 0..<20 {
                try await connection.send("64\r\n" + String(repeating: "a", count: 100) + "\r\n")
            }
            let answer = try await connection.receive()
            #expect(answer.status == 413)
            #expect(answer.end == .closed)
            let finished = try await responder.finished.wait(count: 1)[0]
            #expect(finished.status == 413)
        }
        #expect(failures.values == ["too_many_bytes"])
    }

    @Test func `a response before the end of the body reaches a client that keeps sending`() async throws {
        let responder = ScriptedResponder { _ in
            OutgoingResponse(403, HTTPHeaders(), .bytes(Array("no".utf8)))
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("POST", "/", ["Content-Length: 8000000"]))
            // The client does not look before it has sent all.
            try? await connection.send([UInt8](repeating: 1, count: 400_000))
            let answer = try await connection.receive()
            #expect(answer.status == 403)
            #expect(answer.bodyText == "no")
        }
    }

    @Test func `a response made in the middle of a body is sent when the body has arrived`() async throws {
        let responder = ScriptedResponder { request in
            var pieces = request.body.makeAsyncIterator()
            _ = try? await pieces.next()
            return .text("enough")
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect()
            try await connection.send(request("POST", "/", ["Content-Length: 300000"]))
            try await connection.send([UInt8](repeating: 1, count: 300_000))
            let answer = try await connection.receive()
            #expect(answer.bodyText == "enough")
        }
    }

    @Test func `a stream without a length is sent in chunks`() async throws {
        let responder = ScriptedResponder { _ in
            OutgoingResponse(200, HTTPHeaders(), .stream(length: nil, Pieces(["ab", "", "cde"])))
        }
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/")
            #expect(answer.field("Transfer-Encoding") == "chunked")
            #expect(answer.bodyText.hasSuffix("0\r\n\r\n"))
            #expect(answer.bodyText.filter { "abcde".contains($0) }.hasSuffix("abcde"))
        }
        #expect(responder.finished.values.map(\.sentBytes) == [5])
        #expect(responder.finished.values.map(\.isComplete) == [true])
    }

    @Test func `a stream with a length is sent as it is`() async throws {
        let responder = ScriptedResponder { _ in
            OutgoingResponse(200, HTTPHeaders(), .stream(length: 5, Pieces(["ab", "cde"])))
        }
        try await withTestListener(responder) { _, client in
            let answer = try await client.get("/")
            #expect(answer.field("Content-Length") == "5")
            #expect(answer.bodyText == "abcde")
            let head = try await client.exchange(request("HEAD", "/", ["Connection: close"]))
            #expect(head.field("Content-Length") == "5")
            #expect(head.body.isEmpty)
        }
    }

    @Test func `a stream that ends too early cuts the connection`() async throws {
        for length in [nil, 10] {
            let responder = ScriptedResponder { _ in
                OutgoingResponse(
                    200,
                    HTTPHeaders(),
                    .stream(length: length, Pieces(["ab"], fails: length == nil))
                )
            }
            try await withTestListener(responder) { _, client in
                let answer = try await client.get("/")
                #expect(!answer.text.hasSuffix("0\r\n\r\n"))
                try await responder.finished.wait(count: 1)
            }
            #expect(responder.finished.values.map(\.isComplete) == [false])
        }
    }

    @Test func `a slow client slows the producer down`() async throws {
        let given = Recorder<Int>()
        let responder = ScriptedResponder { _ in
            let pieces = Pieces(Array(repeating: String(repeating: "a", count: 65_536), count: 400)) {
                given.record($0)
            }
            return OutgoingResponse(200, HTTPHeaders(), .stream(length: 400 << 16, pieces))
        }
        try await withTestListener(responder) { _, client in
            let connection = try client.connect(receiveBuffer: 65_536)
            try await connection.send(request("GET", "/"))
            _ = try await connection.drop(100_000)
            try await ContinuousClock().sleep(for: .milliseconds(200))
            #expect(given.count < 100)
            let rest = try await connection.drop(400 << 16 - 100_000)
            #expect(rest == 400 << 16 - 100_000)
        }
        #expect(given.count == 400)
    }
}

/// Gives these pieces.
struct Pieces: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<String>
        let pieces: Pieces

        mutating func next() async throws -> [UInt8]? {
            guard let piece = rest.popFirst() else {
                if pieces.fails { throw ClientFailure("no more") }
                return nil
            }
            pieces.given(piece.utf8.count)
            return Array(piece.utf8)
        }
    }

    let pieces: [String]
    let fails: Bool
    let given: @Sendable (Int) -> Void

    init(_ pieces: [String], fails: Bool = false, given: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.pieces = pieces
        self.fails = fails
        self.given = given
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: pieces[...], pieces: self) }
}
