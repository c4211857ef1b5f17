import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeServer

/// Sources that are sent as they are.
@Suite(.timeLimit(.minutes(1)))
struct RawTests {
    private static let path = ServerRig.path("raw:1", ending: "")
    private static let url = "http://origin.test/photo.jpg"
    private static let half = ServerRig.photo.count / 2

    private static func photo(_ headers: KeyValuePairs<String, String>) -> ScriptedResponse {
        ScriptedResponse(headers: headers, body: [.bytes(ServerRig.photo)])
    }

    @Test func `bytes come as they are, and no browser takes them for a page`() async throws {
        try await ServerRig.open { rig in
            let page = Array("<script>alert(1)</script>".utf8)
            rig.origin.answer { $0.url.text.hasSuffix("page.html") ? .bytes(page) : nil }
            let answer = await rig.get(ServerRig.path("raw:1", "page.html", ending: ""))
            #expect(answer.bytes == page)
            #expect(answer.headers["Content-Type"] == "application/octet-stream")
            #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
            #expect(answer.headers["Content-Security-Policy"]?.contains("sandbox") == true)
            let picture = await rig.get(Self.path)
            #expect(picture.bytes == ServerRig.photo)
            #expect(picture.headers["Content-Type"] == "image/jpeg")
            #expect(picture.headers["Content-Disposition"] == "inline; filename=\"photo.jpg\"")
            #expect(picture.headers["Accept-Ranges"] == "none")
        }
    }

    @Test func `the head is reported with the first bytes, with the origin's length`() async throws {
        try await ServerRig.open { rig in
            let rest = Event()
            let (first, last) = (ServerRig.photo[..<Self.half], ServerRig.photo[Self.half...])
            let answer = ScriptedResponse(body: [.bytes(Array(first)), .until(rest), .bytes(Array(last))])
            try rig.origin.answer(Self.url, with: answer)
            let response = await rig.server.response(to: ServerRig.request(Self.path))
            #expect(response.status == 200)
            guard case .written(let length, let write) = response.body else {
                Issue.record("it is not written while it comes")
                return
            }
            #expect(length == ServerRig.photo.count)
            #expect(rig.server.queue.count == 1)
            let taken = Recorder<[UInt8]>()
            let writer = BodyWriter(
                { piece in
                    taken.record(piece)
                    rest.signal()
                },
                ifIdle: { _ in false }
            )
            try await write(writer)
            #expect(taken.values == [Array(first), Array(last)])
            // All of it is here: the place in the queue is given up.
            while rig.server.queue.count > 0 { await Task.yield() }
        }
    }

    @Test func `a client of HTTP/1.0 gets no head without a length, because it could not notice a cut`()
        async throws
    {
        try await ServerRig.open { rig in
            let answer = ScriptedResponse(length: .unknown, body: [.bytes(ServerRig.photo)])
            let cut = CalotypeError(.connectionReset, "reset", stage: .body)
            try rig.origin.answer(
                Self.url,
                with: answer,
                answer.cut(after: ByteCount(60), then: .failure(cut))
            )
            let request = ServerRig.request(Self.path, takesChunks: false)
            let length = Self.length(await rig.server.response(to: request))
            #expect(length == ServerRig.photo.count)
            while rig.server.pipeline.snapshot.registryEntries > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
            let refused = await rig.server.response(to: request)
            #expect(refused.status == 404)
        }
    }

    /// The length that a written answer announces.
    private static func length(_ answer: OutgoingResponse) -> Int? {
        if case .written(let length, _) = answer.body { length } else { nil }
    }

    @Test func `a response that nobody reads ends its download`() async throws {
        try await ServerRig.open { rig in
            let answer = ScriptedResponse(length: .unknown, body: [.bytes(ServerRig.photo), .forever])
            try rig.origin.answer(Self.url, with: answer)
            let status = await rig.server.response(to: ServerRig.request(Self.path, method: "HEAD")).status
            #expect(status == 200)
            try await rig.origin.statistics { $0.open == 0 && $0.cancelled == 1 }
            while rig.server.queue.count > 0 { await Task.yield() }
        }
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: ScriptedResponse
        let status: Int
        let code: ErrorCode
    }

    private static let refused = [
        Refused(
            testDescription: "a length above the limit",
            answer: ScriptedResponse(length: .other(.mebibytes(65)), body: [.forever]),
            status: 422,
            code: .tooManyBytes
        ),
        Refused(testDescription: "an error", answer: .status(404), status: 404, code: .http(status: 404)),
        Refused(
            testDescription: "a redirect to itself",
            answer: .redirect(to: url),
            status: 404,
            code: .tooManyRedirects
        ),
        Refused(
            testDescription: "a cut before anything is told",
            answer: ScriptedResponse(length: .other(.kibibytes(1)), body: [.bytes([0xFF])]),
            status: 422,
            code: .truncatedBody
        ),
    ]

    @Test(arguments: refused)
    func `what goes wrong before the first bytes is an error like any other`(row: Refused) async throws {
        try await ServerRig.open { rig in
            try rig.origin.answer(Self.url, with: row.answer)
            let answer = await rig.get(Self.path)
            #expect(answer.status == row.status)
            #expect(answer.record?.refusal?.code == row.code)
            #expect(answer.headers["Cache-Control"] == nil)
            #expect(rig.server.metricsText().contains("errors_total{type=\""))
        }
    }

    /// What comes before and after the head is told, how long it is said to be, and what comes of it.
    private static let cuts: [(first: Int, rest: Int, ScriptedResponse.Length, String)] = [
        (100, 8, .other(ByteCount(216)), "truncated_body"), (30_000, 40_000, .unknown, "too_many_bytes"),
    ]

    @Test(arguments: cuts)
    func `a source that is cut off or too long cuts the response, and the log says why`(
        first: Int,
        rest: Int,
        length announced: ScriptedResponse.Length,
        code: String
    ) async throws {
        try await ServerRig.open {
            $0.limits.sourceBytes = .kibibytes(64)
        } _: { rig in
            let isTold = Event()
            let (early, late) = ([UInt8](repeating: 7, count: first), [UInt8](repeating: 7, count: rest))
            let answer = ScriptedResponse(
                length: announced,
                body: [.bytes(early), .until(isTold), .bytes(late)]
            )
            try rig.origin.answer(Self.url, with: answer)
            let request = ServerRig.request(Self.path)
            let response = await rig.server.response(to: request)
            guard case .written(let length, let write) = response.body else {
                Issue.record("it is not written while it comes")
                return
            }
            #expect(length == answer.contentLength?.bytes)
            isTold.signal()
            let writer = BodyWriter({ _ in }, ifIdle: { _ in false })
            await #expect(throws: (any Error).self) { try await write(writer) }
            let end = FinishedExchange(
                request,
                status: 200,
                sentBytes: 1,
                isComplete: false,
                note: response.note
            )
            let entry = AccessEntry(end, response.record, at: WallTime(secondsSince1970: 0))
            #expect(entry.json.contains("\"status\":200,"))
            #expect(entry.json.contains("\"cut\":true,\"code\":\"\(code)\""))
            #expect(!entry.json.contains("client_gone"))
            rig.server.exchangeEnded(end)
            let metrics = rig.server.metricsText()
            #expect(metrics.contains("errors_total{type=\"\(code)\"} 1"))
            #expect(metrics.contains("status_codes_total{status=\"200\"} 1"))
        }
    }

    @Test func `the log contains the costs of a source that was sent unchanged`() async throws {
        try await ServerRig.open { rig in
            let answer = await rig.get(Self.path)
            let end = FinishedExchange(
                ServerRig.request(Self.path),
                status: 200,
                sentBytes: answer.bytes.count,
                isComplete: true,
                note: answer.note
            )
            let line = AccessEntry(end, answer.record, at: WallTime(secondsSince1970: 0)).json
            for part in [
                "\"kind\":\"raw\"", "\"source_bytes\":\(ServerRig.photo.count)", "\"format\":\"jpeg\"",
                "\"cache\":\"miss\"", "\"attempts\":1",
            ] {
                #expect(line.contains(part), "\(part) in \(line)")
            }
        }
    }

    private static let names: [(KeyValuePairs<String, String>, isTold: Bool, isStrong: Bool)] = [
        (["ETag": "\"1\""], true, true),
        (["ETag": "W/\"1\""], true, false),
        (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], true, false),
        ([:], false, false),
    ]

    @Test(arguments: names.indices)
    func `the tag is as strong as the origin's, and there is none where it has none`(index: Int) async throws
    {
        let (headers, isTold, isStrong) = Self.names[index]
        try await ServerRig.open { rig in
            try rig.origin.answer(Self.url, with: Self.photo(headers))
            let answer = await rig.get(Self.path)
            let tag = answer.headers["ETag"]
            #expect((tag != nil) == isTold)
            #expect(tag?.hasPrefix("\"") ?? isStrong == isStrong)
            let changed = headers.first { $0.key == "Last-Modified" }?.value
            #expect(answer.headers["Last-Modified"] == changed)
        }
    }

    @Test func `what a redirect leads to has no tag, for it may lead elsewhere the next time`() async throws {
        try await ServerRig.open { rig in
            try rig.origin.answer(Self.url, with: .redirect(to: "http://origin.test/other.jpg"))
            try rig.origin.answer(
                "http://origin.test/other.jpg",
                with: Self.photo(["ETag": "\"1\""])
            )
            let answer = await rig.get(Self.path)
            #expect(answer.status == 200)
            #expect(answer.headers["ETag"] == nil)
        }
    }

    @Test func `what the origin says of its lifetime is passed through where that is wanted`() async throws {
        try await ServerRig.open {
            $0.answers.passesCacheControl = true
        } _: { rig in
            try rig.origin.answer(Self.url, with: Self.photo(["Cache-Control": "private, max-age=60"]))
            let answer = await rig.get(Self.path)
            #expect(answer.headers["Cache-Control"] == "max-age=60, private")
        }
    }

    @Test func `if there is no disk space for more, the error says to try again later`() async throws {
        try await ServerRig.open {
            $0.pipeline.growingBytes = ByteCount(ServerRig.photo.count + 10)
        } _: { rig in
            rig.origin.answer { _ in ScriptedResponse(body: [.bytes(ServerRig.photo)]) }
            // Its body is never taken.
            let held = await rig.server.response(to: ServerRig.request(Self.path))
            let other = await rig.get(ServerRig.path("raw:1", "other.jpg", ending: ""))
            #expect(other.status == 429)
            #expect(other.headers["Retry-After"] == "1")
            #expect(other.record?.refusal?.code == .tooManyRequests)
            #expect(held.status == 200)
        }
    }

    @Test func `data in the path is what it is`() async throws {
        try await ServerRig.open {
            $0.paths.allowsData = true
        } _: { rig in
            let text = Base64URL.text(Array("data:text/plain;base64,aGVsbG8=".utf8))
            let answer = await rig.get("/unsafe/raw:1/\(text)")
            #expect(answer.status == 200)
            #expect(answer.text == "hello")
            #expect(answer.headers["Content-Type"] == "application/octet-stream")
        }
    }

    @Test func `a local file is sent piece by piece, under the name of its version`() async throws {
        let bytes = ServerRig.photo + [UInt8](repeating: 7, count: 200_000)
        try await withScratchFolder { folder in
            try OpenFile(folder + "/a.jpg", O_WRONLY | O_CREAT).write(bytes)
            try await ServerRig.open {
                $0.localRoot = folder
                $0.limits.sourceBytes = ByteCount(bytes.count)
            } _: { rig in
                let path = "/unsafe/raw:1/plain/local:///a.jpg"
                let answer = await rig.get(path)
                #expect(answer.bytes == bytes)
                #expect(answer.headers["Content-Type"] == "image/jpeg")
                let again = await rig.get(path)
                #expect(answer.headers["ETag"] != nil && again.headers["ETag"] == answer.headers["ETag"])
                try OpenFile(folder + "/a.jpg", O_WRONLY | O_APPEND).write([1])
                let longer = await rig.get(path)
                #expect(longer.status == 422)
                #expect(longer.record?.refusal?.code == .tooManyBytes)
            }
        }
    }
}
