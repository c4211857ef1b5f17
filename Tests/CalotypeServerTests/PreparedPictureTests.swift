import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeStore
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypeServer

/// Responses from memory that are sent again as they are: only as long as they are true.
@Suite(.timeLimit(.minutes(1)))
struct PreparedPictureTests {
    private let time = Guarded(WallTime(secondsSince1970: ServerRig.now))
    private let path = ServerRig.path()
    /// What the origin sends now.
    private let answers = Guarded<@Sendable (HTTPRequest) -> ScriptedResponse>({ _ in .status(500) })

    /// Runs `body` with a server that has a response prepared, and that response as the responder gave it.
    private func withPrepared(
        _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
        fields: KeyValuePairs<String, String> = ["Cache-Control": "max-age=60", "ETag": "\"1\""],
        _ body: (ServerRig, OutgoingResponse) async throws -> Void
    ) async throws {
        try await ServerRig.open {
            $0.pipeline.wallClock = { [time] in time.withLock { $0 } }
            try configure(&$0)
        } _: { rig in
            answers.withLock { answer in
                answer = { _ in ScriptedResponse(headers: fields, body: [.bytes(ServerRig.photo)]) }
            }
            rig.origin.answer { [answers] request in answers.withLock { $0 }(request) }
            let cache = await rig.get(path).record?.cache
            #expect(cache == "miss")
            let hit = await rig.get(path)
            #expect(hit.record?.cache == "memory")
            rig.server.prepare(hit, to: ServerRig.request(path), from: "calotype")
            try await body(rig, hit)
        }
    }

    @Test func `a use counts as a memory hit, in the metrics and in the log`() async throws {
        let lines = try await Self.loggedLines { log in
            try await ServerRig.open(log: log) { rig in
                for _ in 0..<2 { _ = await rig.get(path) }
                let hit = await rig.get(path)
                rig.server.prepare(hit, to: ServerRig.request(path), from: "calotype")
                let hits = rig.server.pipeline.memoryCache.hits
                let prepared = try #require(rig.prepared(path))
                let id = try #require(prepared.content.begin())
                #expect(rig.server.pipeline.memoryCache.hits == hits + 1)
                prepared.content.ended(Self.use(id, bytes: hit.bytes.count))
                prepared.content.ended(Self.use(id + 1, isComplete: false))
                let text = rig.server.metricsText()
                for line in [
                    "requests_total{kind=\"picture\"} 5", "status_codes_total{status=\"200\"} 4",
                    "status_codes_total{status=\"499\"} 1", "cache_results_total{result=\"memory\"} 4",
                    "request_duration_seconds_count 5", "sent_bytes_total \(4 * hit.bytes.count)",
                    "prepared_responses 1",
                ] {
                    #expect(text.contains("\ncalotype_\(line)\n"), "\(line)")
                }
            }
        }
        // The lines differ only in their IDs and times, and in what was sent.
        try #require(lines.count == 5)
        #expect(Self.stable(lines[3]) == Self.stable(lines[2]))
        #expect(lines[4].contains("\"status\":499,\"bytes\":0,") && lines[4].contains("\"client_gone\":true"))
        #expect(Set(lines.map { $0.split(separator: ",")[1] }).count == 5)
    }

    @Test func `a use keeps its picture from being pushed out`() async throws {
        try await withPrepared {
            $0.pipeline.memoryCache.count = 2
        } _: { rig, _ in
            _ = await rig.get(ServerRig.path("w:10"))
            #expect(rig.prepared(path)?.content.begin() != nil)
            _ = await rig.get(ServerRig.path("w:11"))
            #expect(rig.prepared(path)?.content.begin() != nil)
            for width in 12...13 { _ = await rig.get(ServerRig.path("w:\(width)")) }
            #expect(rig.prepared(path)?.content.begin() == nil)
            #expect(rig.prepared(path) == nil && rig.server.prepared.contents.count == 0)
        }
    }

    @Test func `an expired source is not served`() async throws {
        try await withPrepared { rig, _ in
            time.withLock { $0 = $0 + .seconds(59) }
            #expect(rig.prepared(path)?.content.begin() != nil)
            time.withLock { $0 = $0 + .seconds(1) }
            #expect(rig.prepared(path)?.content.begin() == nil)
        }
    }

    @Test func `a picture that was removed is not served`() async throws {
        try await withPrepared { rig, _ in
            let prepared = try #require(rig.prepared(path))
            #expect(prepared.content.begin() != nil)
            answers.withLock { $0 = { _ in .status(404) } }
            var request = try rig.server.imageRequest(at: path, headers: HTTPHeaders())
            request.cachePolicy = .reload
            await #expect(throws: CalotypeError.self) {
                try await rig.server.pipeline.rendition(for: request)
            }
            #expect(prepared.content.begin() == nil)
        }
    }

    @Test func `a picture that was replaced is not served`() async throws {
        try await withPrepared { rig, old in
            let prepared = try #require(rig.prepared(path))
            answers.withLock { answer in
                answer = { _ in
                    let picture = TinyPicture.jpeg(PixelSize(width: 48, height: 64))
                    let fields: KeyValuePairs = ["Cache-Control": "max-age=60", "ETag": "\"2\""]
                    return ScriptedResponse(headers: fields, body: [.bytes(picture)])
                }
            }
            time.withLock { $0 = $0 + .seconds(60) }
            let new = await rig.get(path)
            #expect(new.bytes != old.bytes)
            time.withLock { $0 = WallTime(secondsSince1970: ServerRig.now) }
            // Even if the clock is set back.
            #expect(prepared.content.begin() == nil)
            let hit = await rig.get(path)
            rig.server.prepare(hit, to: ServerRig.request(path), from: "calotype")
            #expect(rig.prepared(path)?.bodyBytes == new.bytes.count)
        }
    }

    @Test func `a picture that was renewed is prepared again with its new freshness`() async throws {
        try await withPrepared { rig, _ in
            answers.withLock { answer in
                answer = { request in
                    #expect(request.headers["If-None-Match"] == "\"1\"")
                    let fields: KeyValuePairs = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
                    return ScriptedResponse(status: 304, headers: fields, body: [])
                }
            }
            time.withLock { $0 = $0 + .seconds(60) }
            #expect(rig.prepared(path)?.content.begin() == nil)
            let status = await rig.get(path).status
            #expect(status == 200)
            let hit = await rig.get(path)
            #expect(hit.record?.cache == "memory")
            rig.server.prepare(hit, to: ServerRig.request(path), from: "calotype")
            #expect(rig.prepared(path)?.content.begin() != nil)
        }
    }

    @Test(
        arguments: [
            { @Sendable in $0.secret = "s" }, { @Sendable in $0.heedsClientHints = true },
            { @Sendable in $0.negotiation.enforced = [.webp] },
            { @Sendable in $0.answers.passesCacheControl = true },
        ] as [@Sendable (inout ServerConfiguration) -> Void]
    )
    func `responses that depend on more than the path are not prepared`(
        _ configure: @escaping @Sendable (inout ServerConfiguration) -> Void
    ) async throws {
        try await ServerRig.open(configure) { rig in
            for _ in 0..<3 {
                let answer = await rig.get(path, ["Authorization": "Bearer s", "Accept": "image/webp"])
                #expect(answer.status == 200)
                rig.server.prepare(answer, to: ServerRig.request(path), from: "calotype")
            }
            #expect(rig.server.prepared.contents.count == 0)
        }
    }

    @Test func `paths that expire, information and refusals are not prepared`() async throws {
        try await ServerRig.open { rig in
            let expiring = ServerRig.path("exp:\(ServerRig.now + 10)")
            for target in [
                expiring, "/info/unsafe/plain/http://origin.test/photo.jpg", "/health", "/none", "/metrics",
            ] {
                for _ in 0..<3 {
                    let answer = await rig.get(target)
                    rig.server.prepare(answer, to: ServerRig.request(target), from: "calotype")
                }
            }
            #expect(rig.server.prepared.contents.count == 0)
        }
    }

    @Test func `prepared responses are bounded, and the most recently used stay`() async throws {
        try await ServerRig.open {
            $0.pipeline.memoryCache = MemoryCacheLimits(bytes: .mebibytes(1), count: 10_000)
        } _: { rig in
            for width in 1...200 {
                let target = ServerRig.path("w:\(width)")
                for _ in 0..<2 {
                    let answer = await rig.get(target)
                    rig.server.prepare(answer, to: ServerRig.request(target), from: "calotype")
                }
            }
            let contents = rig.server.prepared.contents
            #expect(contents.count > 20 && contents.bytes.bytes <= 1 << 18)
        }
    }

    private static func use(_ id: UInt64, bytes: Int = 0, isComplete: Bool = true) -> PreparedUse {
        PreparedUse(id: id, client: "192.0.2.1", arrival: .now, sentBytes: bytes, isComplete: isComplete)
    }

    /// The line without its ID and its duration.
    private static func stable(_ line: Substring) -> String {
        line.split(separator: ",").filter { !$0.hasPrefix("\"id\":") && !$0.hasPrefix("\"ms\":") }.joined(
            separator: ","
        )
    }

    /// Returns the lines that `body` logs.
    private static func loggedLines(_ body: (AccessLog) async throws -> Void) async throws -> [Substring] {
        let path = FileManager.default.temporaryDirectory.path + "/calotype-log-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await withAccessLog(to: try LogOutput(path)) { try await body($0) }
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    }
}

extension ServerRig {
    /// The response that is stored for a target.
    fileprivate func prepared(_ target: String) -> PreparedResponse? {
        var target = target
        return target.withUTF8 { unsafe server.prepared(for: UnsafeRawBufferPointer($0)) }
    }
}
