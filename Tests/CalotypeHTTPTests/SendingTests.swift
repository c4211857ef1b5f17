import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTP

@Suite(.timeLimit(.minutes(1)))
struct SendingTests {
    private static let block = SendStateMachine.blockBytes

    /// What a request looks like at the origin.
    private struct Arrival: Sendable {
        let head: String
        let body: [UInt8]

        var line: String { String(head.prefix { $0 != "\r\n" }) }
        func field(_ name: String) -> String? { ScriptedConnection.field(name, of: head) }
    }

    /// Sends requests to a server that answers each of them with 200, and gives what arrived there.
    private func arrivals(
        _ send: (CurlTransport, ScriptedServer) async throws -> Void
    ) async throws -> [Arrival] {
        let arrivals = Recorder<Arrival>()
        try await withServer { connection in
            while let (head, body) = connection.wholeRequest() {
                arrivals.record(Arrival(head: head, body: body))
                connection.answer(body: head.hasPrefix("HEAD") ? "" : "hello")
            }
        } _: { server in
            try await withCurlTransport { try await send($0, server) }
        }
        return arrivals.values
    }

    @Test(arguments: [0, 1, 1000, block - 1, block, block + 1, 3 * block, 5_000_001])
    func `bytes and ranges of files arrive as they are, with their length`(count: Int) async throws {
        let bytes = SampleFile.bytes(count)
        let seen = try await arrivals { transport, server in
            try await SampleFile.with([1, 2, 3] + bytes + [4]) { file in
                for body in [HTTPBody(bytes), try file.body(from: 3, count)] {
                    let progress = SendProgress()
                    var request = HTTPRequest(try server.url(), method: .put, body: body)
                    request.progress = progress
                    let answer = try await transport.body(request)
                    #expect(answer == Array("hello".utf8))
                    #expect(progress.sent == ByteCount(count))
                }
            }
        }
        #expect(seen.count == 2)
        for arrival in seen {
            #expect(arrival.line == "PUT / HTTP/1.1")
            #expect(arrival.body == bytes)
            #expect(arrival.field("content-length") == "\(count)")
            #expect(arrival.field("transfer-encoding") == nil)
            #expect(arrival.field("expect") == nil)
            #expect(arrival.field("content-type") == nil)
        }
    }

    @Test func `several parts arrive after one another`() async throws {
        let bytes = SampleFile.bytes(3 * Self.block)
        let seen = try await arrivals { transport, server in
            try await SampleFile.with(bytes) { file in
                let body = try HTTPBody([
                    .bytes(Array("--limit\r\n\r\n".utf8)),
                    .file(FileRange(path: file.path, length: ByteCount(bytes.count))),
                    .bytes([]),
                    .bytes(Array("\r\n--limit\r\n\r\n".utf8)),
                    .file(FileRange(path: file.path, offset: ByteCount(100), length: ByteCount(7))),
                    .bytes(Array("\r\n--limit--\r\n".utf8)),
                ])
                #expect(body.parts.count == 5)
                var request = HTTPRequest(try server.url("/form"), method: .post, body: body)
                try request.addHeader("Content-Type", "multipart/form-data; boundary=limit")
                _ = try await transport.body(request)
            }
        }
        let expected =
            Array("--limit\r\n\r\n".utf8) + bytes + Array("\r\n--limit\r\n\r\n".utf8) + bytes[100..<107]
            + Array("\r\n--limit--\r\n".utf8)
        #expect(seen.map(\.line) == ["POST /form HTTP/1.1"])
        #expect(seen.first?.body == expected)
        #expect(seen.first?.field("content-length") == "\(expected.count)")
        #expect(seen.first?.field("content-type") == "multipart/form-data; boundary=limit")
    }

    @Test func `every method arrives under its name, on one connection that each leaves as it was`()
        async throws
    {
        let methods: [HTTPMethod] = [
            .get, .post, .head, .put, .get, .patch, .delete, .options, try HTTPMethod("MKCOL"), .get,
        ]
        let seen = try await arrivals { transport, server in
            for method in methods {
                let body = method.expectsBody ? HTTPBody(Array("abc".utf8)) : .none
                let answer = try await transport.body(HTTPRequest(server.url(), method: method, body: body))
                #expect(answer.count == (method == .head ? 0 : 5))
            }
            for method in [HTTPMethod.post, .delete, .get] {
                _ = try await transport.body(HTTPRequest(server.url(), method: method))
            }
            #expect(server.accepted == 1)
        }
        #expect(seen.map(\.line) == (methods + [.post, .delete, .get]).map { "\($0) / HTTP/1.1" })
        let lengths = seen.map { $0.field("content-length") }
        #expect(lengths == [nil, "3", nil, "3", nil, "3", nil, nil, nil, nil, "0", nil, nil])
    }

    @Test func `the head of a large thing is no body that is too large`() async throws {
        try await withServer { connection in
            while connection.request() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\nUpload-Offset: 7\r\n\r\n")
            }
        } _: { server in
            try await withCurlTransport { transport in
                for _ in 0..<2 {
                    let request = HTTPRequest(try server.url(), method: .head)
                    try await transport.withResponse(to: request) { response in
                        #expect(response.contentLength == ByteCount(5_000_000_000))
                        #expect(response.headers["Upload-Offset"] == "7")
                        let body = try await response.body.collect()
                        #expect(body.isEmpty)
                    }
                }
                #expect(server.accepted == 1)
            }
        }
    }

    @Test func `a method is a token, and none that turns the connection into something else`() throws {
        for name in ["", "GET /", "PUT\r\nX: y", "CONNECT", "trace", "Ä"] {
            #expect(throws: HTTPMessageError.self) { try HTTPMethod(name) }
        }
        #expect(try HTTPMethod("PUT") == .put)
        #expect(HTTPMethod.put.isIdempotent && !HTTPMethod.put.isSafe)
        #expect(!HTTPMethod.patch.isIdempotent)
    }

    @Test func `a body that cannot be is refused before anything is sent`() async throws {
        try await withServer { _ in
        } _: { server in
            try await withCurlTransport { transport in
                for method in [HTTPMethod.get, .head] {
                    let request = HTTPRequest(try server.url(), method: method, body: HTTPBody([1]))
                    #expect(await code { try await transport.body(request) } == .invalidRequest)
                }
                try await SampleFile.with([1, 2, 3]) { file in
                    let cases: [(String, Int, ErrorCode)] = [
                        (file.path, 4, .sourceChanged), (file.path + "-not-there", 1, .fileNotReadable),
                        ("/tmp", 1, .fileNotReadable), ("/dev/zero", 1, .fileNotReadable),
                    ]
                    for (path, length, expected) in cases {
                        let body = try HTTPBody(FileRange(path: path, length: ByteCount(length)))
                        let request = HTTPRequest(try server.url(), method: .put, body: body)
                        #expect(await code { try await transport.body(request) } == expected, "\(path)")
                    }
                }
                #expect(server.accepted == 0)
                #expect(transport.snapshot.transfers == 0)
            }
        }
        #expect(throws: CalotypeError.self) { try HTTPBody(FileRange(path: "a", length: ByteCount(-1))) }
        #expect(throws: CalotypeError.self) {
            try HTTPBody(FileRange(path: "a", offset: ByteCount(.max), length: ByteCount(1)))
        }
    }

    @Test func `the length of a file of 5 GB is right, and the rest is not sent after a cancel`() async throws
    {
        let length = Recorder<String?>()
        let isSending = Event()
        let gone = Event()
        let check = await QuietCheck.begin()
        try await withServer { connection in
            guard let head = connection.request() else { return }
            length.record(ScriptedConnection.field("content-length", of: head))
            _ = connection.drain(1 << 20)
            isSending.signal()
            connection.waitForHangUp()
            gone.signal()
        } _: { server in
            try await SampleFile.withSparse(5_000_000_000) { file in
                try await withCurlTransport { transport in
                    let request = try HTTPRequest(server.url(), method: .put, body: file.body(5_000_000_000))
                    await withThrowingTaskGroup { group in
                        group.addTask { _ = try await transport.body(request) }
                        try? await isSending.wait()
                        group.cancelAll()
                        await #expect(throws: CancellationError.self) { try await group.next() }
                    }
                    #expect(transport.snapshot.transfers == 0)
                    try await gone.wait()
                }
            }
        }
        try await check.expectQuiet()
        #expect(length.values == ["5000000000"])
    }

    @Test func `fields that the transport sets are not the caller's`() throws {
        var request = HTTPRequest(try WebURL("http://photos.test/"), method: .post)
        for name in ["Content-Length", "Transfer-Encoding", "Expect"] {
            #expect(throws: CalotypeError.self) { try request.addHeader(name, "1") }
        }
    }
}
