import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeServer

@Suite(.timeLimit(.minutes(1)))
struct PictureAnswerTests {
    @Test func `a picture has the header fields that browsers and proxies need`() async throws {
        try await ServerRig.open { rig in
            let answer = await rig.get(ServerRig.path())
            #expect(answer.status == 200)
            #expect(answer.headers["Content-Type"] == "image/jpeg")
            #expect(answer.headers["Content-Disposition"] == "inline; filename=\"photo.jpg\"")
            #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
            #expect(answer.headers["Content-Security-Policy"]?.hasSuffix("sandbox") == true)
            #expect(answer.headers["Cache-Control"] == "max-age=31536000, public")
            #expect(answer.headers["ETag"]?.count == 34)
            #expect(answer.headers["X-Request-ID"]?.count == 16)
            #expect(answer.bytes.starts(with: [0xFF, 0xD8]))
        }
    }

    @Test func `the trace of a request reaches the origin if that is wanted`() async throws {
        let trace = "0af7651916cd43dd8448eb211c80319c"
        for isWanted in [false, true] {
            let (recorder, headers) = (
                TraceRecorder(), ["traceparent": "00-\(trace)-b7ad6b7169203331-01", "tracestate": "a=1"]
            )
            try await ServerRig.open {
                $0.pipeline.sendsTraceContext = isWanted
                $0.pipeline.trace = recorder
            } _: { rig in
                #expect(await rig.get(ServerRig.path(), headers).status == 200)
                let sent = rig.origin.requests.first?.headers
                #expect(sent?["traceparent"]?.hasPrefix("00-\(trace)-") == (isWanted ? true : nil))
                #expect(sent?["tracestate"] == (isWanted ? "a=1" : nil))
            }
            let traces = recorder.events.filter { $0.name == "decode" }.flatMap(\.arguments)
            #expect(traces == [TraceEvent.Argument("trace", trace)])
        }
    }

    @Test func `the second time it comes from memory, without a task`() async throws {
        try await ServerRig.open { rig in
            let first = await rig.get(ServerRig.path())
            let second = rig.atOnce(ServerRig.request(ServerRig.path()))
            #expect(second?.bytes == first.bytes)
            #expect(second?.headers["ETag"] == first.headers["ETag"])
            #expect(second?.record?.cache == "memory")
            #expect(rig.origin.statistics.requests == 1)
        }
    }

    @Test func `64 equal requests are one request at the origin and one decode`() async throws {
        try await ServerRig.open { rig in
            let event = Event()
            try rig.origin.answer(
                "http://origin.test/photo.jpg",
                with: .bytes(ServerRig.photo).after(.until(event))
            )
            let asking = (0..<64).map { _ in Task { await rig.get(ServerRig.path()).status } }
            while rig.server.queue.count < 64 { await Task.yield() }
            event.signal()
            var answers: [Int] = []
            for task in asking { answers.append(await task.value) }
            #expect(answers == Array(repeating: 200, count: 64))
            #expect(rig.origin.statistics.requests == 1)
            #expect(rig.server.metricsText().contains("\ncalotype_decodes_total 1\n"))
            #expect(rig.server.queue.count == 0)
        }
    }

    @Test func `a client that goes away takes its download along`() async throws {
        try await ServerRig.open { rig in
            rig.origin.answer { _ in .never }
            let task = Task { await rig.get(ServerRig.path()) }
            try await rig.origin.waitForRequests(1)
            task.cancel()
            let answer = await task.value
            #expect(answer.status == 499)
            #expect(answer.record?.refusal?.code == ErrorCode(rawValue: "client_gone"))
            // Who leaves does not wait for the download to end.
            while rig.origin.statistics.open > 0 { await Task.yield() }
            #expect(rig.server.queue.count == 0)
        }
    }

    @Test func `the same picture has the same tag, another version another one`() async throws {
        try await ServerRig.open {
            $0.pipeline.memoryCache = .none
        } _: { rig in
            let url = "http://origin.test/photo.jpg"
            let one = ScriptedResponse(headers: ["ETag": "\"1\""], body: [.bytes(ServerRig.photo)])
            let two = ScriptedResponse(headers: ["ETag": "\"2\""], body: [.bytes(ServerRig.photo)])
            try rig.origin.answer(url, with: one, one, two)
            var tags: [String?] = []
            for _ in 0..<3 {
                tags.append(await rig.get(ServerRig.path()).headers["ETag"])
                // Whoever still holds the source would lend it to the next.
                while rig.server.pipeline.snapshot.registryEntries > 0 { await Task.yield() }
            }
            #expect(tags[0] != nil)
            #expect(tags[0] == tags[1])
            #expect(tags[0] != tags[2])
        }
    }

    static let lifetimes: [(said: String?, told: String)] = [
        (nil, "max-age=31536000, public"), ("max-age=60", "max-age=60, public"),
        ("private, max-age=60", "max-age=60, private"), ("no-store", "no-store"), ("no-cache", "no-cache"),
    ]

    @Test(arguments: lifetimes)
    func `what the origin says of its lifetime is passed through where that is wanted`(
        said: String?,
        told: String
    ) async throws {
        try await ServerRig.open {
            $0.answers.passesCacheControl = true
            $0.pipeline.freshness.isShared = false
        } _: { rig in
            let headers: KeyValuePairs<String, String> = if let said { ["Cache-Control": said] } else { [:] }
            rig.origin.answer { _ in ScriptedResponse(headers: headers, body: [.bytes(ServerRig.photo)]) }
            let answer = await rig.get(ServerRig.path())
            #expect(answer.headers["Cache-Control"] == told)
        }
    }

    @Test func `a path that expires caps the lifetime`() async throws {
        try await ServerRig.open { rig in
            let answer = await rig.get(ServerRig.path("exp:\(ServerRig.now + 90)"))
            #expect(answer.headers["Cache-Control"] == "max-age=90, public")
            let past = await rig.get(ServerRig.path("exp:\(ServerRig.now - 1)"))
            #expect(past.status == 404)
        }
    }

    @Test func `a browser that accepts WebP gets it if that is enabled, and proxies learn so by Vary`()
        async throws
    {
        try await ServerRig.open {
            $0.negotiation.offered = [.webp]
        } _: { rig in
            rig.origin.answer { _ in
                ScriptedResponse(headers: ["ETag": "\"1\""], body: [.bytes(ServerRig.photo)])
            }
            let path = ServerRig.path(ending: "")
            let webp = await rig.get(path, ["Accept": "image/webp,*/*;q=0.8"])
            #expect(webp.headers["Content-Type"] == "image/webp")
            #expect(webp.headers["Vary"] == "Accept")
            let other = await rig.get(path, ["Accept": "image/webp;q=0,*/*"])
            #expect(other.headers["Content-Type"] == "image/jpeg")
            #expect(other.headers["Vary"] == "Accept")
            #expect(other.headers["ETag"] != webp.headers["ETag"])
            let again = await rig.get(path, ["Accept": "image/webp"])
            #expect(again.headers["ETag"] == webp.headers["ETag"])
            let named = await rig.get(ServerRig.path(), ["Accept": "image/webp"])
            #expect(named.headers["Content-Type"] == "image/jpeg")
        }
    }

    @Test func `sizes, canonical URL and the allowed origin are sent if configured`()
        async throws
    {
        try await ServerRig.open {
            $0.answers.hasDebugHeaders = true
            $0.answers.isCanonicalTold = true
            $0.answers.allowedOrigin = "https://shop.test"
        } _: { rig in
            let answer = await rig.get(ServerRig.path("rs:fit:32:32", "a%3Cb.jpg"))
            #expect(answer.headers["X-Origin-Width"] == "64")
            #expect(answer.headers["X-Result-Width"] == "32")
            #expect(answer.headers["X-Origin-Content-Length"] == "\(ServerRig.photo.count)")
            #expect(answer.headers["Link"] == "<http://origin.test/a%3Cb.jpg>; rel=\"canonical\"")
            #expect(answer.headers["Access-Control-Allow-Origin"] == "https://shop.test")
            let options = await rig.get(ServerRig.path(), method: "OPTIONS")
            #expect(options.status == 200)
            #expect(options.headers["Access-Control-Allow-Methods"] == "GET, OPTIONS")
        }
    }

    @Test func `formats that are not to be touched come as they are, others are made, from one download`()
        async throws
    {
        try await ServerRig.open { rig in
            let kept = await rig.get(ServerRig.path("rs:fit:32:32/skp:jpg", ending: ""))
            #expect(kept.bytes == ServerRig.photo)
            #expect(rig.origin.statistics.requests == 1)
            let made = await rig.get(ServerRig.path("rs:fit:32:32/skp:png", ending: ""))
            #expect(made.status == 200)
            #expect(made.bytes != ServerRig.photo)
            // The first one's source may still be held, and then it is shared.
            #expect(rig.origin.statistics.requests <= 2)
        }
    }

    @Test func `a drawing that is skipped stays a drawing, without scripts`() async throws {
        try await ServerRig.open { rig in
            let source = #"<svg width="4" height="3"><script>evil()</script><text>a</text></svg>"#
            rig.origin.answer { _ in ScriptedResponse(body: [.bytes(Array(source.utf8))]) }
            let response = await rig.get(ServerRig.path("rs:fit:32:32/skp:svg", ending: ""))
            #expect(response.status == 200 && response.headers["Content-Type"] == "image/svg+xml")
            #expect(response.headers["Content-Security-Policy"]?.contains("sandbox") == true)
            let text = String(decoding: response.bytes, as: UTF8.self)
            #expect(text.hasSuffix(#"width="4" height="3"><text>a</text></svg>"#))
        }
    }

    @Test func `requests that share an untouched picture have a tag each, in any order`() async throws {
        let paths = [32, 16].map { ServerRig.path("rs:fit:\($0):\($0)/skp:jpg", ending: "") }
        let tags = try await Self.tags(of: paths)
        #expect(Set(tags.values).count == 2)
        #expect(try await Self.tags(of: paths.reversed()) == tags)
    }

    private static func tags(of paths: [String]) async throws -> [String: String] {
        var tags: [String: String] = [:]
        try await ServerRig.open { rig in
            rig.origin.answer { _ in
                ScriptedResponse(
                    headers: ["ETag": "\"1\"", "Cache-Control": "max-age=60"],
                    body: [.bytes(ServerRig.photo)]
                )
            }
            for path in paths { tags[path] = await rig.get(path).headers["ETag"] }
        }
        return tags
    }

    @Test func `the ID that a request brings is kept, if it is one`() async throws {
        try await ServerRig.open { rig in
            let kept = await rig.get(ServerRig.path(), ["X-Request-ID": "abc-1_2"])
            #expect(kept.headers["X-Request-ID"] == "abc-1_2")
            let replaced = await rig.get(ServerRig.path(), ["X-Request-ID": "a b\u{7}"])
            #expect(replaced.headers["X-Request-ID"]?.count == 16)
        }
    }
}
