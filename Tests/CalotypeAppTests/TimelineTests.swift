import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeServer
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeApp

@Suite(.timeLimit(.minutes(1)))
struct TimelineTests {
    /// A pipeline whose loads a timeline is told of, on a manual clock for the timeline.
    private struct Fixture: Sendable {
        let pipeline: ImagePipeline
        let timeline: Timeline
        let recorder: TraceRecorder
        let clock: ManualClock

        /// What is kept, by the end of the source's URL.
        var loads: [String: TimelineLoad] {
            let loads = timeline.changes(since: 0).loads
            return Dictionary(loads.map { (String($0.source.split(separator: "/").last ?? ""), $0) }) { $1 }
        }
    }

    private static let photo = TinyPicture.png(PixelSize(width: 8, height: 8))

    private static func open(
        _ transport: ScriptedTransport,
        limit: Int = 4096,
        retries: Int = 0,
        _ body: (Fixture) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let recorder = TraceRecorder(limit: 0, clock: clock)
        let timeline = Timeline(recorder, limit: limit)
        var configuration = PipelineConfiguration()
        configuration.exchange = transport
        configuration.retries = retries
        configuration.observer = { timeline.note($0) }
        configuration.trace = recorder
        try await withImagePipeline(configuration) { pipeline in
            try await body(Fixture(pipeline: pipeline, timeline: timeline, recorder: recorder, clock: clock))
        }
    }

    private static func request(_ name: String) throws -> ImageRequest {
        ImageRequest(try ImageSource(trustedText: "http://origin.test/\(name)"), .fit(4, 4), .png)
    }

    @Test func `a load is reported with its stages and its end`() async throws {
        try await Self.open(ScriptedTransport(otherwise: .bytes(Self.photo))) { fixture in
            _ = try await fixture.pipeline.rendition(for: try Self.request("a"))
            let load = try #require(fixture.loads["a"])
            #expect(load.state == .finished)
            #expect(load.origin == .own)
            #expect(load.bytes == ByteCount(Self.photo.count))
            let names = Set(load.stages.map(\.name))
            #expect(names.isSuperset(of: [.queue, .decode, .encode]))
            #expect(load.stages.allSatisfy { $0.end != nil })
            let counts = fixture.timeline.changes(since: 0).counts
            #expect(counts.finished == 1 && counts.own == 1 && counts.loading == 0)
        }
    }

    @Test func `a load that joins another's work records what it waits for`() async throws {
        let transport = ScriptedTransport(otherwise: .never)
        try await Self.open(transport) { fixture in
            let request = try Self.request("a")
            let first = Task { try await fixture.pipeline.rendition(for: request) }
            // Once it has sent its request, the other one cannot be the one that begins the work.
            while fixture.loads["a"]?.stages.last?.name != .firstByte { await Task.yield() }
            let second = Task { try await fixture.pipeline.rendition(for: request) }
            while fixture.timeline.changes(since: 0).loads.last?.joined == nil { await Task.yield() }
            let loads = fixture.timeline.changes(since: 0).loads
            #expect(loads.count == 2)
            #expect(loads[1].joined == loads[0].id)
            #expect(loads[1].stages == [TimelineStage(name: .wait, start: .zero)])
            second.cancel()
            _ = await second.result
            first.cancel()
            _ = await first.result
            let ended = fixture.timeline.changes(since: 0)
            #expect(ended.loads.map(\.state) == [.cancelled, .cancelled])
            #expect(ended.counts.cancelled == 2)
        }
    }

    @Test func `what hangs is seen to hang, in the part where it does`() async throws {
        try await Self.open(ScriptedTransport(otherwise: .never)) { fixture in
            let request = try Self.request("a")
            let load = Task { try await fixture.pipeline.rendition(for: request) }
            while fixture.loads["a"]?.stages.last?.name != .firstByte { await Task.yield() }
            let running = try #require(fixture.loads["a"])
            #expect(running.state == .running)
            #expect(running.end == nil)
            #expect(running.stages.last?.end == nil)
            load.cancel()
            _ = await load.result
            #expect(fixture.loads["a"]?.state == .cancelled)
            #expect(fixture.loads["a"]?.stages.allSatisfy { $0.end != nil } == true)
        }
    }

    @Test func `a failure has its code`() async throws {
        try await Self.open(ScriptedTransport(otherwise: .status(404))) { fixture in
            _ = try? await fixture.pipeline.rendition(for: try Self.request("a"))
            let load = try #require(fixture.loads["a"])
            #expect(load.state == .failed)
            #expect(load.code == .http(status: 404))
        }
    }

    @Test func `a try that failed is a part of its load, whatever comes of the next`() async throws {
        let transport = ScriptedTransport()
        let passing = ScriptedResponse.status(503, headers: ["Retry-After": "0"])
        try transport.answer("http://origin.test/a", with: passing, .bytes(Self.photo))
        try transport.answer("http://origin.test/b", with: passing, .status(404))
        try await Self.open(transport, retries: 1) { fixture in
            _ = try await fixture.pipeline.rendition(for: try Self.request("a"))
            _ = try? await fixture.pipeline.rendition(for: try Self.request("b"))
            for (name, state, failed) in [("a", TimelineLoad.State.finished, 1), ("b", .failed, 2)] {
                let load = try #require(fixture.loads[name])
                #expect(load.state == state)
                let tries = load.stages.filter { $0.name == .failedTry }
                #expect(tries.count == failed)
                #expect(tries.allSatisfy { $0.end != nil })
            }
        }
    }

    @Test func `between two tries no part is shown as going on`() {
        var load = TimelineLoad(2, of: "a", for: .picture, at: .zero)
        load.note(.requested(attempt: 1), at: .zero)
        load.note(
            .ended(
                TraceEvent(name: "queued", category: "wait", start: .zero, duration: .seconds(1), lane: 0)
            ),
            joined: nil
        )
        #expect(load.stages.last == TimelineStage(name: .firstByte, start: .seconds(1)))
        load.note(
            .ended(
                TraceEvent(
                    name: "failed try",
                    category: "network",
                    start: .seconds(1),
                    duration: .seconds(2),
                    lane: 0
                )
            ),
            joined: nil
        )
        #expect(load.stages.last == TimelineStage(name: .failedTry, start: .seconds(1), end: .seconds(3)))
        load.note(.requested(attempt: 2), at: .seconds(4))
        #expect(load.stages.last == TimelineStage(name: .queue, start: .seconds(4)))
    }

    @Test func `only changes are reported again`() async throws {
        try await Self.open(ScriptedTransport(otherwise: .bytes(Self.photo))) { fixture in
            _ = try await fixture.pipeline.rendition(for: try Self.request("a"))
            let first = fixture.timeline.changes(since: 0)
            #expect(fixture.timeline.changes(since: first.revision).loads.isEmpty)
            _ = try await fixture.pipeline.rendition(for: try Self.request("b"))
            let second = fixture.timeline.changes(since: first.revision)
            #expect(second.loads.map(\.source) == ["http://origin.test/b"])
        }
    }

    @Test func `loads are kept for a minute after their end`() async throws {
        try await Self.open(ScriptedTransport(otherwise: .bytes(Self.photo))) { fixture in
            _ = try await fixture.pipeline.rendition(for: try Self.request("a"))
            fixture.clock.advance(by: .seconds(60))
            #expect(fixture.timeline.changes(since: 0).loads.count == 1)
            fixture.clock.advance(by: .seconds(1))
            #expect(fixture.timeline.changes(since: 0).loads.isEmpty)
            #expect(fixture.timeline.changes(since: 0).counts.finished == 1)
        }
    }

    @Test func `there is room for so many, and the oldest that has ended gives way`() async throws {
        try await Self.open(ScriptedTransport(otherwise: .bytes(Self.photo)), limit: 2) { fixture in
            for name in ["a", "b", "c"] {
                _ = try await fixture.pipeline.rendition(for: try Self.request(name))
            }
            #expect(fixture.loads.keys.sorted() == ["b", "c"])
            #expect(fixture.timeline.changes(since: 0).counts.own == 3)
        }
    }

    @Test func `of a flood from caches the first are kept and then some each second`() {
        let clock = ManualClock()
        let timeline = Timeline(TraceRecorder(limit: 0, clock: clock))
        var asked = 0
        func flood() {
            for number in 0..<1000 {
                timeline.noteUnloaded(.memory) {
                    asked += 1
                    return "\(number)"
                }
            }
        }
        flood()
        #expect(timeline.changes(since: 0).loads.map(\.source) == (0..<50).map(String.init))
        clock.advance(by: .seconds(1))
        flood()
        #expect(timeline.changes(since: 0).loads.count == 58)
        #expect(asked == 58)
        #expect(timeline.changes(since: 0).counts.memory == 2000)
        clock.advance(by: .seconds(61))
        #expect(timeline.changes(since: 0).loads.isEmpty)
    }

    @Test func `a long source is shortened`() {
        let load = TimelineLoad(1, of: String(repeating: "ä", count: 10_000), for: .picture, at: .zero)
        #expect(load.source.utf8.count < 520)
    }

    @Test func `hits in the store are reported too, though they are not loads`() async throws {
        try await withScratchFolder { folder in
            try await LiveApp.open(configureServer: { server in
                server.cacheFolder = folder
                server.pipeline.memoryCache = .none
            }) { rig in
                let photo = rig.origin.url("/pictures/photo.jpg?cache=max-age=3600")
                let path = "/unsafe/rs:fit:32:32/plain/\(photo)"
                let counts = try await rig.events("/api/timeline") { events in
                    var counts: JSONValue?
                    while counts?["store"]?.number ?? 0 < 1 {
                        _ = try await rig.get(path)
                        let change = try #require(try await events.next())
                        counts = try change.value["counts"]
                    }
                    return counts
                }
                #expect(counts?["own"]?.number ?? 0 >= 1)
            }
        }
    }

    @Test func `a load has the page that shows its picture`() async throws {
        let pages: KeyValuePairs = [
            "http://127.0.0.1:8080/app/search?term=a": "search", "http://a.test/app/": "overview",
            "http://a.test/app/wall/abc": "wall", "http://a.test/": nil, "http://a.test/app/a%20b": nil,
            "/app/search": nil, "http://a.test/app/\(String(repeating: "a", count: 21))": nil,
        ]
        try await LiveApp.open { rig in
            let photo = rig.origin.pictureURL("photo.jpg")
            for (number, (referrer, _)) in pages.enumerated() {
                let path = "/unsafe/rs:fit:\(33 + number):33/plain/\(photo)"
                #expect(try await rig.get(path, ["Referer": referrer]).status == 200)
            }
            try await rig.events("/api/timeline") { events in
                let loads = try #require(try await events.next()?.value["loads"]?.array)
                #expect(loads.map { $0["page"]?.text } == pages.map(\.value))
            }
        }
    }

    @Test func `a load of a wall has the ID of the wall, others have none`() async throws {
        try await LiveApp.open { rig in
            let photo = rig.origin.pictureURL("photo.jpg")
            let wall = try await rig.withEvents(.post, "/api/walls", json: ["urls": [photo]]) { events in
                var wall: String?
                while let event = try await events.next() { wall = try event.value["id"]?.text ?? wall }
                return wall
            }
            _ = try await rig.get("/unsafe/rs:fit:33:33/plain/\(photo)")
            try await rig.events("/api/timeline") { events in
                let loads = try #require(try await events.next()?.value["loads"]?.array)
                #expect(loads.map { $0["wall"]?.text } == [wall, nil])
            }
        }
    }

    @Test func `over the wire: the state, then changes, including hits in memory`() async throws {
        try await LiveApp.open { rig in
            let path = "/unsafe/rs:fit:32:32/plain/\(rig.origin.pictureURL("photo.jpg"))"
            try await rig.events("/api/timeline") { events in
                let state = try #require(try await events.next())
                #expect(state.name == "state")
                #expect(try state.value["loads"] == .array([]))
                for _ in 0..<2 { _ = try await rig.get(path) }
                var origins: Set<String> = []
                while origins.count < 2 {
                    let change = try #require(try await events.next())
                    #expect(change.name == "change")
                    origins.formUnion(
                        (try change.value["loads"]?.array ?? []).compactMap { $0["origin"]?.text }
                    )
                }
                #expect(origins == ["own", "memory"])
            }
            try await rig.events("/api/timeline") { events in
                let state = try #require(try await events.next())
                #expect(try state.value["loads"]?.array?.count == 2)
                #expect(try state.value["counts"]?["memory"]?.number == 1)
                #expect(try state.value["gates"]?["connections"]?["limit"]?.number == 1024)
            }
        }
    }

    @Test func `the hosts with most waiting loads are reported, with ports that are not the usual ones`()
        throws
    {
        let texts = [
            ("http://a.test/", 2), ("https://b.test/", 7), ("http://c.test:8080/", 7),
            ("http://[::1]:81/", 1),
            ("https://d.test/", 3), ("http://e.test/", 1), ("https://f.test:80/", 4),
        ]
        var waiting: [WebURL.Origin: Int] = [:]
        for (text, count) in texts { waiting[try WebURL(text).origin] = count }
        let waits = HostWaits(waiting, limit: 8)
        #expect(waits.limit == 8)
        #expect(waits.waiting == 25)
        #expect(waits.busiest.map(\.host) == ["b.test", "c.test:8080", "f.test:80", "d.test", "a.test"])
        #expect(waits.busiest.map(\.waiting) == [7, 7, 4, 3, 2])
        let other = HostWaits([try WebURL("http://[::1]:81/").origin: 1], limit: 8)
        #expect(other.busiest.map(\.host) == ["[::1]:81"])
        #expect(HostWaits([:], limit: 8).busiest.isEmpty)
    }
}
