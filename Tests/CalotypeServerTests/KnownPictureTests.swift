import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeServer

/// Clients that have a picture which the server has no longer: 304 as soon as the origin tells the version.
@Suite(.timeLimit(.minutes(1)))
struct KnownPictureTests {
    private static let url = "http://origin.test/photo.jpg"
    private static let validators: [KeyValuePairs<String, String>] = [
        ["ETag": "\"1\""], ["ETag": "W/\"1\""], ["Last-Modified": "Mon, 01 Dec 2025 00:00:00 GMT"],
    ]

    /// What the origin answers for now.
    private typealias Origin = Guarded<@Sendable (HTTPRequest) -> ScriptedResponse>

    private static func answer(_ headers: KeyValuePairs<String, String>) -> ScriptedResponse {
        ScriptedResponse(headers: headers, body: [.bytes(ServerRig.photo)])
    }

    /// Runs `body` with a server that keeps nothing, and the tag of a picture of an origin that says `headers`.
    private static func withTag(
        _ path: String = ServerRig.path(),
        of headers: KeyValuePairs<String, String>,
        _ body: (ServerRig, Origin, String) async throws -> Void
    ) async throws {
        let origin = Origin({ _ in answer(headers) })
        try await ServerRig.open {
            $0.pipeline.memoryCache = .none
        } _: { rig in
            rig.origin.answer { request in origin.withLock { $0 }(request) }
            let tag = try #require(await rig.get(path).headers["ETag"])
            #expect(rig.decodes == 1)
            await quiet(rig)
            try await body(rig, origin, tag)
        }
    }

    /// Waits until nothing is left of what was asked for: until then the next client may share it.
    private static func quiet(_ rig: ServerRig) async {
        while !rig.server.pipeline.snapshot.isQuiet { await Task.yield() }
    }

    @Test(arguments: validators)
    func `a client's own version is neither downloaded nor decoded`(
        _ headers: KeyValuePairs<String, String>
    ) async throws {
        try await Self.withTag(of: headers) { rig, origin, tag in
            // Whoever waited for this body would wait for ever.
            origin.withLock { $0 = { _ in ScriptedResponse(headers: headers, body: [.forever]) } }
            for known in [tag, "W/" + tag, "\"other\", \(tag)"] {
                let answer = await rig.get(ServerRig.path(), ["If-None-Match": known])
                #expect(answer.status == 304)
                #expect(answer.headers["ETag"] == tag)
                #expect(answer.headers["Cache-Control"] == "max-age=31536000, public")
                #expect(answer.headers["Content-Type"] == nil)
                #expect(answer.bytes.isEmpty)
                #expect(answer.record?.cache == "client")
                await Self.quiet(rig)
            }
            #expect(rig.origin.statistics.requests == 4)
            #expect(rig.decodes == 1)
            while rig.origin.statistics.open > 0 { await Task.yield() }
        }
    }

    @Test func `another version, another format or another size is no version of the client's`() async throws
    {
        try await Self.withTag(of: ["ETag": "\"1\""]) { rig, origin, tag in
            for path in [ServerRig.path(ending: "@png"), ServerRig.path("rs:fit:16:16")] {
                let answer = await rig.get(path, ["If-None-Match": tag])
                #expect(answer.status == 200)
                #expect(answer.headers["ETag"] != tag)
            }
            await Self.quiet(rig)
            origin.withLock { $0 = { _ in Self.answer(["ETag": "\"2\""]) } }
            let changed = await rig.get(ServerRig.path(), ["If-None-Match": tag])
            #expect(changed.status == 200)
            #expect(changed.headers["ETag"] != tag)
            #expect(rig.decodes == 4)
        }
    }

    @Test func `what a redirect led to, and a version without a name, are made to be compared`() async throws
    {
        try await Self.withTag(of: ["ETag": "\"1\""]) { rig, origin, tag in
            origin.withLock {
                $0 = { request in
                    request.url.text == Self.url
                        ? .redirect(to: "http://origin.test/elsewhere.jpg") : Self.answer(["ETag": "\"1\""])
                }
            }
            let answer = await rig.get(ServerRig.path(), ["If-None-Match": tag])
            #expect(answer.status == 200)
            #expect(rig.decodes == 2)
        }
        try await Self.withTag(of: [:]) { rig, origin, tag in
            let answer = await rig.get(ServerRig.path(), ["If-None-Match": tag])
            #expect(answer.status == 200)
            #expect(answer.headers["ETag"] == tag)
            #expect(rig.decodes == 2)
        }
    }

    @Test func `other waiters for the same picture get it`() async throws {
        try await Self.withTag(of: ["ETag": "\"1\""]) { rig, origin, tag in
            let event = Event()
            origin.withLock {
                $0 = { _ in
                    ScriptedResponse(
                        headers: ["ETag": "\"1\""],
                        body: [.until(event), .bytes(ServerRig.photo)]
                    )
                }
            }
            let other = Task { await rig.get(ServerRig.path()) }
            try await rig.origin.waitForRequests(2)
            let known = await rig.get(ServerRig.path(), ["If-None-Match": tag])
            #expect(known.status == 304)
            event.signal()
            let answer = await other.value
            #expect(answer.status == 200)
            #expect(answer.headers["ETag"] == tag)
            #expect(rig.origin.statistics.requests == 2)
            #expect(rig.decodes == 2)
        }
    }

    @Test func `requests for these exact bytes, or without tags, do not receive 304`() async throws {
        try await Self.withTag(of: ["ETag": "\"1\""]) { rig, origin, tag in
            let conditions: [[String: String]] = [
                ["If-Match": tag, "If-None-Match": tag], ["If-None-Match": "\"\""], ["If-None-Match": "*"],
                ["If-None-Match": String(tag.dropLast(6)) + "\""], ["If-Modified-Since": "x"],
            ]
            for headers in conditions {
                let answer = await rig.get(ServerRig.path(), headers)
                #expect(answer.status == 200)
            }
        }
        try await ServerRig.open {
            $0.pipeline.memoryCache = .none
            $0.answers.hasEntityTags = false
        } _: { rig in
            let answer = await rig.get(ServerRig.path(), ["If-None-Match": "\"1\""])
            #expect(answer.status == 200)
            #expect(answer.headers["ETag"] == nil)
        }
    }

    @Test func `an origin's failure is reported, whatever the client has cached`() async throws {
        try await Self.withTag(of: ["ETag": "\"1\""]) { rig, origin, tag in
            origin.withLock {
                $0 = { _ in ScriptedResponse(status: 404, headers: ["ETag": "\"1\""], body: []) }
            }
            let answer = await rig.get(ServerRig.path(), ["If-None-Match": tag])
            #expect(answer.status == 404)
        }
    }
}

extension ServerRig {
    /// How many decodes there were.
    fileprivate var decodes: Int {
        let lines = server.metricsText().split(separator: "\n")
        let line = lines.first { $0.hasPrefix("calotype_decodes_total ") }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
    }
}
