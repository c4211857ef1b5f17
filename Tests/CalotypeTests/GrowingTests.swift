import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Sources that are read while they come in.
@Suite(.timeLimit(.minutes(1)))
struct GrowingTests {
    /// What one reader has taken.
    private struct Reader {
        let taken = Recorder<[UInt8]>()
        let task: Task<GrowingSource.Head, any Error>

        var bytes: [UInt8] { Array(taken.values.joined()) }

        /// Reads `name`; after its first piece it waits for `pause`, where there is one.
        init(_ fixture: PipelineFixture, _ name: String = "body", pause: Event? = nil, limit: Int? = nil) {
            var request = fixture.request(name)
            if let limit { request.limits.sourceBytes = ByteCount(limit) }
            task = fixture.start { [taken, request] pipeline in
                let source = try pipeline.growing(request)
                let head = try await source.head { _ in true }
                try await source.read { piece in
                    taken.record(piece)
                    try await pause?.wait()
                }
                return head
            }
        }
    }

    private static let body = RangedBody()
    private static let reset = CalotypeError(.connectionReset, "reset", stage: .body)

    /// An origin that sends the first half of the body, and the rest when the event has happened.
    private func halves(_ fixture: PipelineFixture) throws -> Event {
        let event = Event()
        let (first, rest) = (Array(Self.body.bytes[..<100_000]), Array(Self.body.bytes[100_000...]))
        let answer = ScriptedResponse(
            headers: RangedBody.tag,
            body: [.bytes(first), .until(event), .bytes(rest)]
        )
        try fixture.origin.answer(fixture.url("body"), with: answer)
        return event
    }

    @Test func `what has come is read before the rest comes, and little of it is in memory`() async throws {
        try await PipelineFixture.open { fixture in
            let rest = try halves(fixture)
            let reader = Reader(fixture)
            #expect(reader.bytes == Array(Self.body.bytes[..<100_000]))
            #expect(fixture.pipeline.snapshot.encodedBytes < .kibibytes(128))
            fixture.signal(rest)
            let head = try await reader.task.value
            #expect(reader.bytes == Self.body.bytes)
            #expect(head.length == ByteCount(200_000))
            #expect(head.provenance?.version?.entityTag == "\"one\"")
            #expect(head.isDirect && head.bytes == nil)
            #expect(reader.taken.values.allSatisfy { $0.count <= 64 << 10 })
        }
    }

    @Test func `simultaneous readers share one download from its beginning`() async throws {
        try await PipelineFixture.open { fixture in
            let (rest, pause) = (try halves(fixture), Event())
            let slow = Reader(fixture, pause: pause)
            let late = Reader(fixture)
            #expect(late.bytes == Array(Self.body.bytes[..<100_000]))
            fixture.signal(rest)
            _ = try await late.task.value
            #expect(late.bytes == Self.body.bytes)
            // Who is slow holds up nobody, and whoever comes now reads what is there.
            #expect(slow.bytes.count < 100_000)
            #expect(fixture.origin.statistics.completed == 1)
            let last = Reader(fixture)
            _ = try await last.task.value
            fixture.signal(pause)
            _ = try await slow.task.value
            #expect(slow.bytes == Self.body.bytes && last.bytes == Self.body.bytes)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a slow reader does not hold the origin's connection`() async throws {
        try await PipelineFixture.open { fixture in
            let (rest, pause) = (try halves(fixture), Event())
            fixture.signal(rest)
            let slow = Reader(fixture, pause: pause)
            #expect(fixture.origin.statistics.completed == 1)
            #expect(fixture.pipeline.snapshot.connections == 0)
            // Nor has it to be done within the time that a source may take.
            fixture.advance(by: .seconds(600))
            fixture.signal(pause)
            _ = try await slow.task.value
            #expect(slow.bytes == Self.body.bytes)
        }
    }

    @Test func `the load ends with its last reader`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try halves(fixture)
            let readers = (0..<2).map { _ in Reader(fixture) }
            fixture.cancel(readers[0].task)
            #expect(fixture.origin.statistics.open == 1)
            fixture.cancel(readers[1].task)
            #expect(fixture.origin.statistics.open == 0)
            for reader in readers { #expect(await code(of: reader.task) == "cancelled") }
        }
    }

    @Test func `a source that is released unread is loaded no further`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try halves(fixture)
            let request = fixture.request("body")
            let head = fixture.start { try await $0.growing(request).head { _ in true } }
            _ = try await head.value
            fixture.settle()
            #expect(fixture.origin.statistics.open == 0)
        }
    }

    @Test func `a cut transfer continues without its readers noticing`() async throws {
        try await PipelineFixture.open {
            $0.retries = 2
        } _: { fixture in
            try fixture.origin.answer(
                fixture.url("body"),
                with: Self.body.cut(100_000),
                Self.body.rest(100_000)
            )
            let reader = Reader(fixture)
            #expect(reader.bytes.count == 100_000)
            fixture.advance(by: .seconds(4))
            _ = try await reader.task.value
            #expect(reader.bytes == Self.body.bytes)
            #expect(fixture.lastField("Range") == "bytes=100000-")
        }
    }

    private static let endings: [(String, [ScriptedResponse], Int)] = [
        ("no validator", [body.cut(100_000, [:]), body.whole([:])], 1),
        ("another version", [body.cut(100_000), body.whole(["ETag": "\"two\""])], 2),
        ("no rest", [body.cut(100_000), body.rest(100_001), body.whole()], 3),
    ]

    @Test(arguments: endings)
    func `what cannot be gone on with fails, for its beginning is with the reader`(
        name: String,
        answers: [ScriptedResponse],
        requests: Int
    ) async throws {
        try await PipelineFixture.open {
            $0.retries = 2
        } _: { fixture in
            let queue = Guarded(answers)
            fixture.origin.answer { _ in queue.withLock { $0.count > 1 ? $0.removeFirst() : $0.first } }
            let reader = Reader(fixture)
            for _ in 0..<4 { fixture.advance(by: .seconds(4)) }
            #expect(await code(of: reader.task) == "truncated_body")
            #expect(reader.bytes == Array(Self.body.bytes[..<100_000]))
            #expect(fixture.origin.statistics.requests == requests)
        }
    }

    @Test(arguments: [
        ("\"one\"", "\"one\"", true), ("\"one\"", "\"two\"", false), ("W/\"one\"", "W/\"one\"", false),
        (nil, nil, false),
        ("\"one\"", nil, false),
    ])
    func `a file that replaces another is read on if it certainly has the same bytes`(
        before: String?,
        after: String?,
        isSame: Bool
    ) async throws {
        try await withThreadExecutor(name: "disk", threads: 1) { disk in
            try await withTaskScope { scope in
                let intake = GrowingIntake()
                let load = try scope.start { try? await Task.sleep(for: .seconds(3600)) }
                let source = GrowingSource(intake, loadedBy: load, disk: disk)
                let feed = SourceFeed()
                _ = feed.add(intake.observer { (Provenance($0, freshUntil: nil, from: .own), true) })
                try arrive(100_000, before, in: feed.begin())
                let head = try await source.head { _ in true }
                #expect(head.beginning == Array(Self.body.bytes[..<65_536]))
                try arrive(Self.body.bytes.count, after, in: feed.begin())
                let taken = Recorder<[UInt8]>()
                let hasEnded = Guarded(false)
                let reading = Task {
                    defer { hasEnded.withLock { $0 = true } }
                    try await source.read { taken.record($0) }
                }
                guard isSame else {
                    #expect(await code(of: reading) == "truncated_body")
                    #expect(taken.values.isEmpty)
                    return source.close()
                }
                while taken.values.joined().count < Self.body.bytes.count, !hasEnded.withLock(\.self) {
                    await Task.yield()
                }
                let isWhole = Array(taken.values.joined()) == Self.body.bytes
                #expect(isWhole)
                reading.cancel()
                _ = await reading.result
                source.close()
            }
        }
    }

    /// Reports `count` bytes of a version with `tag`, if it has one, in a file of their own.
    private func arrive(_ count: Int, _ tag: String?, in arrival: SourceArrival) throws {
        let headers = try tag.map { [try HeaderField(checking: "ETag", $0)] } ?? []
        let response = StoredResponse(
            status: 200,
            headers: HTTPHeaders(headers),
            request: HTTPHeaders(),
            requestTime: WallTime(secondsSince1970: 1),
            responseTime: WallTime(secondsSince1970: 2)
        )
        arrival.tell(
            SourceVersion(response: response, url: "http://a.test/", isDetour: false, isKeepable: true)
        )
        let file = try SpoolFile(in: SpoolFile.defaultFolder)
        try file.append(Array(Self.body.bytes[..<count]))
        arrival.grow(file)
        arrival.advance(to: count, of: ByteCount(Self.body.bytes.count), nil, prefix: nil)
    }

    @Test func `before the first byte another attempt is made, as for every source`() async throws {
        try await PipelineFixture.open {
            $0.retries = 2
        } _: { fixture in
            try fixture.origin.answer(fixture.url("body"), with: .failure(Self.reset), Self.body.whole())
            let reader = Reader(fixture)
            fixture.advance(by: .seconds(4))
            _ = try await reader.task.value
            #expect(reader.bytes == Self.body.bytes)
        }
    }

    @Test func `a length above the limit is reported before a byte is read`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("body"), with: Self.body.whole())
            let reader = Reader(fixture, limit: 199_999)
            #expect(await code(of: reader.task) == "too_many_bytes")
            #expect(reader.bytes.isEmpty)
        }
    }

    @Test func `a source that turns out too large fails where it does`() async throws {
        try await PipelineFixture.open { fixture in
            let answer = ScriptedResponse(length: .unknown, body: [.bytes(Self.body.bytes)])
            try fixture.origin.answer(fixture.url("body"), with: answer)
            let reader = Reader(fixture, limit: 150_000)
            #expect(await code(of: reader.task) == "too_many_bytes")
            #expect(reader.bytes.count <= 150_000)
        }
    }

    @Test func `the time limit is the load's, and its readers learn that it has expired`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try halves(fixture)
            let reader = Reader(fixture)
            for _ in 0..<40 { fixture.advance(by: .seconds(2)) }
            #expect(await code(of: reader.task) == "timeout_idle")
        }
    }

    @Test func `a growing file has its disk space reserved, and a load without space fails with the reason`()
        async throws
    {
        try await PipelineFixture.open {
            $0.growingBytes = ByteCount(350_000)
        } _: { fixture in
            let (rest, pause) = (try halves(fixture), Event())
            try fixture.origin.answer(fixture.url("other"), with: Self.body.whole())
            let unknown = ScriptedResponse(length: .unknown, body: [.bytes(Self.body.bytes)])
            try fixture.origin.answer(fixture.url("unknown"), with: unknown)
            let slow = Reader(fixture, pause: pause)
            fixture.signal(rest)
            for name in ["other", "unknown"] {
                let other = Reader(fixture, name)
                #expect(await code(of: other.task) == "too_many_requests")
            }
            // The same source needs no room of its own.
            let same = Reader(fixture)
            _ = try await same.task.value
            fixture.signal(pause)
            _ = try await slow.task.value
            let again = Reader(fixture, "other")
            _ = try await again.task.value
            #expect(again.bytes == Self.body.bytes)
        }
    }

    @Test func `an empty source is empty, and one on this machine is what it is`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("body"), with: .bytes([]))
            let empty = Reader(fixture)
            let nothing = try await empty.task.value
            #expect(nothing.length == ByteCount(0) && empty.bytes.isEmpty)
            let bytes = fixture.start { pipeline in
                let source = try pipeline.growing(ImageRequest(.bytes([1, 2, 3])))
                return try await source.head { _ in true }
            }
            let head = try await bytes.value
            #expect(head.bytes == [1, 2, 3] && head.beginning == [1, 2, 3] && head.length == ByteCount(3))
        }
    }

    @Test func `a source that is kept and fresh comes from the store`() async throws {
        let documents = DocumentFixture()
        try await PipelineFixture.open {
            documents.configure(&$0)
            $0.stores = .sources
        } _: { fixture in
            let fields: KeyValuePairs = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(fields),
                .status(304)
            )
            _ = try await fixture.ask(fixture.request()).value
            let kept = Reader(fixture, "photo.jpg")
            let head = try await kept.task.value
            #expect(head.bytes == PipelineFixture.photo && head.provenance?.version?.entityTag == "\"1\"")
            #expect(fixture.origin.statistics.requests == 1)
            documents.advance(by: .seconds(60))
            let renewed = Reader(fixture, "photo.jpg")
            let again = try await renewed.task.value
            #expect(again.bytes == PipelineFixture.photo)
            #expect(fixture.origin.statistics.bytes.bytes == PipelineFixture.photo.count)
        }
    }

    @Test func `a pipeline that has ended grows nothing`() async throws {
        let (kept, request) = (Guarded<ImagePipeline?>(nil), ImageRequest("http://origin.test/a"))
        try await PipelineFixture.open { fixture in kept.withLock { $0 = fixture.pipeline } }
        let pipeline = try #require(kept.withLock { $0 })
        #expect(throws: CalotypeError.self) { try pipeline.growing(request) }
    }
}
