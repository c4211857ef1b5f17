import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Foundation
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ScriptedUploadTests {
    private static let url = "http://a.test/1"
    private static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    private func request(_ body: HTTPBody, _ progress: SendProgress? = nil) throws -> HTTPRequest {
        var request = HTTPRequest(try WebURL(Self.url), method: .post, body: body)
        request.progress = progress
        return request
    }

    /// Runs `body` with a file of ``bytes``.
    private func withFile(_ body: (String) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID())")
        try Data(Self.bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(url.path)
    }

    private func range(_ path: String) -> FileRange {
        FileRange(path: path, length: ByteCount(Self.bytes.count))
    }

    @Test func `the body is received before the response, and stored up to the limit`() async throws {
        try await withFile { path in
            let transport = ScriptedTransport(otherwise: .status(201), keptBodyBytes: ByteCount(1000))
            let progress = SendProgress()
            let body = try HTTPBody([.bytes([1, 2, 3]), .file(range(path))])
            try await transport.withResponse(to: request(body, progress)) { response in
                #expect(response.status == 201)
                #expect(progress.sent == body.length)
            }
            _ = try await transport.withResponse(to: request(.none)) { $0.status }
            #expect(transport.receivedBodies == [[1, 2, 3] + Self.bytes.prefix(997), []])
            #expect(transport.statistics.sentBytes == body.length)
            #expect(transport.requests.map(\.method) == [.post, .post])
        }
    }

    @Test func `a script by closure sees the beginning of the body`() async throws {
        let transport = ScriptedTransport()
        transport.answer(reading: ByteCount(4)) { _, body in body == [1, 2] ? .status(409) : nil }
        transport.answer(reading: .mebibytes(1)) { request, body in
            .bytes(Array("\(request.method) \(body.count)".utf8))
        }
        let first = try await transport.withResponse(to: request(HTTPBody([1, 2]))) { $0.status }
        #expect(first == 409)
        let second = try await transport.withResponse(to: request(HTTPBody(Self.bytes))) {
            try await $0.body.collect()
        }
        #expect(second == Array("POST 300000".utf8))
        #expect(transport.receivedBodies.map(\.count) == [2, 64 << 10])
    }

    @Test func `a script may respond early, and cut the body at any byte`() async throws {
        let transport = ScriptedTransport(keptBodyBytes: .mebibytes(1))
        let cut = CalotypeError(.connectionReset, "cut", stage: .response)
        try transport.answer(
            Self.url,
            with: ScriptedResponse(status: 413, beforeHead: [.receive(ByteCount(0))]),
            ScriptedResponse(beforeHead: [.receive(ByteCount(150_001)), .failure(cut)])
        )
        let progress = SendProgress()
        let status = try await transport.withResponse(to: request(HTTPBody(Self.bytes), progress)) {
            $0.status
        }
        #expect(status == 413)
        #expect(progress.sent == ByteCount(0))
        let error = await failure {
            _ = try await transport.withResponse(to: request(HTTPBody(Self.bytes), progress)) { $0.status }
        }
        #expect((error as? CalotypeError)?.code == .connectionReset)
        #expect(progress.sent == ByteCount(150_001))
        #expect(transport.receivedBodies == [[], Array(Self.bytes.prefix(150_001))])
    }

    @Test func `the response to HEAD has the fields and no body`() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(Self.bytes))
        var head = HTTPRequest(try WebURL(Self.url), method: .head)
        head.limits.bodyBytes = ByteCount(10)
        try await transport.withResponse(to: head) { response in
            #expect(response.contentLength == ByteCount(300_000))
            let body = try await response.body.collect()
            #expect(body.isEmpty)
        }
        #expect(transport.statistics.completed == 1)
    }

    @Test func `what the real transport refuses is refused here`() async throws {
        let transport = ScriptedTransport()
        let cases: [(HTTPRequest, ErrorCode)] = [
            (HTTPRequest(try WebURL(Self.url), body: HTTPBody([1])), .invalidRequest),
            (try request(HTTPBody(range("/tmp/calotype-not-there"))), .fileNotReadable),
        ]
        for (request, expected) in cases {
            let error = await failure { _ = try await transport.withResponse(to: request) { $0.status } }
            #expect((error as? CalotypeError)?.code == expected)
        }
        #expect(transport.statistics.requests == 0)
    }

    @Test func `an upload cancelled at any step leaves nothing behind`() async throws {
        try await withFile { path in
            let body = try HTTPBody([.bytes([1, 2, 3]), .file(range(path)), .bytes([4])])
            let check = await QuietCheck.begin()
            let report = try await CancellationSweep().run { context in
                let answer = ScriptedResponse.bytes([1, 2]).after(.pause(.seconds(1)))
                let transport = ScriptedTransport(clock: context.clock, otherwise: answer)
                let client = HTTPClient(transport)
                let request = try request(body, SendProgress())
                try await context.victim {
                    try await client.withResponse(to: request) { try await $0.body.collect() }
                }
                #expect(transport.statistics.open == 0)
                #expect(client.snapshot.active + client.snapshot.waiting + client.snapshot.hosts == 0)
            } check: { _ in
                try await check.expectQuiet()
            }
            #expect(report.cuts > 5)
        }
    }
}
