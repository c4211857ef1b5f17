import CalotypeCodec
import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Work that several callers want at the same time is done once, at every stage.
@Suite(.timeLimit(.minutes(1)))
struct FlightTests {
    private static func spec(_ side: Int) -> PictureSpec {
        .encoded(RenditionSpec(.fit(side, side), .jpeg))
    }

    @Test(arguments: [(16, 32), (32, 16)])
    func `two sizes at the same time come from one download and one decode, each its own size`(
        first: Int,
        second: Int
    ) async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let loads = [first, second].map { fixture.ask(fixture.request("photo.jpg", $0)) }
            fixture.signal(gate)
            let widths = [try await loads[0].value.size.width, try await loads[1].value.size.width]
            #expect(widths == [first, second])
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.codec.decodes.values == [[Self.spec(first), Self.spec(second)]])
        }
    }

    @Test func `equal loads share every step, and each gets the picture`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let loads = (0..<10).map { _ in fixture.ask(fixture.request()) }
            #expect(fixture.pipeline.snapshot.flights == 3)
            fixture.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.codec.decodes.values == [[Self.spec(32)]])
        }
    }

    @Test func `a size requested while the decode waits for a core comes from that decode`() async throws {
        try await PipelineFixture.open(holding: [.begin]) { fixture in
            let early = fixture.ask(fixture.request("photo.jpg", 16))
            #expect(fixture.origin.statistics.completed == 1)
            let late = fixture.ask(fixture.request("photo.jpg", 32))
            fixture.signal(fixture.codec.mayBegin)
            let widths = [try await early.value.size.width, try await late.value.size.width]
            #expect(widths == [16, 32])
            #expect(fixture.codec.decodes.values == [[Self.spec(16), Self.spec(32)]])
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a size requested while the decode runs uses the loaded bytes`() async throws {
        try await PipelineFixture.open(holding: [.end]) { fixture in
            let early = fixture.ask(fixture.request("photo.jpg", 16))
            #expect(fixture.codec.decodes.count == 1)
            let late = fixture.ask(fixture.request("photo.jpg", 32))
            let same = fixture.ask(fixture.request("photo.jpg", 16))
            #expect(fixture.codec.decodes.values == [[Self.spec(16)], [Self.spec(32)]])
            fixture.signal(fixture.codec.mayEnd)
            for load in [early, late, same] { #expect(await code(of: load) == nil) }
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test(arguments: ["equal", "another size", "bytes"])
    func `a load that joins a hanging one late has a source's whole time all the same`(
        kind: String
    ) async throws {
        try await PipelineFixture.open { fixture in
            let hung = try fixture.hold()
            let early = fixture.ask(fixture.request())
            fixture.advance(by: .seconds(8))
            let request = fixture.request("photo.jpg", kind == "another size" ? 16 : 32)
            let late: [Task<Void, any Error>] = (0..<3).map { _ in
                kind == "bytes"
                    ? fixture.start { _ = try await $0.data(for: request) }
                    : fixture.start { _ = try await $0.rendition(for: request) }
            }
            #expect(fixture.origin.statistics.requests == 1)
            fixture.advance(by: .seconds(3))
            #expect(await code(of: early) == "timeout_headers")
            // The three have joined each other.
            #expect(fixture.origin.statistics.requests == 2)
            fixture.advance(by: .seconds(9))
            fixture.signal(hung)
            for load in late { #expect(await code(of: load) == nil) }
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test func `loads that hang together end together, without another request`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try fixture.hold()
            let loads = [16, 32, 32].map { fixture.ask(fixture.request("photo.jpg", $0)) }
            fixture.advance(by: .seconds(11))
            for load in loads { #expect(await code(of: load) == "timeout_headers") }
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a load that joins a last attempt has its own attempts`() async throws {
        try await PipelineFixture.open {
            $0.retries = 1
        } _: { fixture in
            let (first, second) = (Event(), Event())
            let failed = ScriptedResponse(status: 500)
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: failed.after(.until(first)),
                failed.after(.until(second)),
                .bytes(PipelineFixture.photo)
            )
            let early = fixture.ask(fixture.request())
            fixture.advance(by: .seconds(4))
            fixture.signal(first)
            fixture.advance(by: .seconds(1))
            let late = fixture.ask(fixture.request("photo.jpg", 16))
            fixture.signal(second)
            #expect(await code(of: early) == "http_500")
            #expect(await code(of: late) == nil)
            #expect(fixture.origin.statistics.requests == 3)
        }
    }

    @Test(arguments: [ErrorCode.timeoutDecode, .decoderCrashed])
    func `a decode that fails for being many is done again for each alone`(_ reason: ErrorCode) async throws {
        try await PipelineFixture.open { fixture in
            fixture.codec.failure.withLock {
                $0 = { $0.count == 1 ? nil : CalotypeError(reason, "too many", stage: .decode) }
            }
            let gate = try fixture.hold()
            let loads = [16, 24, 32].map { fixture.ask(fixture.request("photo.jpg", $0)) }
            fixture.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(fixture.codec.decodes.values.map(\.count) == [3, 1, 1, 1])
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a picture that fails alone as well fails nobody else`() async throws {
        try await PipelineFixture.open { fixture in
            let bad = Self.spec(24)
            fixture.codec.failure.withLock {
                $0 = { specs in
                    specs.contains(bad) ? CalotypeError(.timeoutDecode, "slow", stage: .decode) : nil
                }
            }
            let gate = try fixture.hold()
            let loads = [16, 24, 32].map { fixture.ask(fixture.request("photo.jpg", $0)) }
            fixture.signal(gate)
            var codes: [String?] = []
            for load in loads { codes.append(await code(of: load)) }
            #expect(codes == [nil, "timeout_decode", nil])
        }
    }

    @Test func `widths of a large source are made by several decodes, from one download`() async throws {
        try await PipelineFixture.open(holding: [.begin]) { fixture in
            fixture.codec.claim.withLock {
                $0 = ImageFacts(format: .jpeg, storedSize: PixelSize(width: 9900, height: 9900))
            }
            let gate = try fixture.hold()
            let loads = (1...12).map { fixture.ask(fixture.request("photo.jpg", $0 * 4)) }
            fixture.signal(gate)
            // Each with a core and a time limit of its own, and all of them at the same time.
            #expect(fixture.codec.priorities.count == 3)
            fixture.signal(fixture.codec.mayBegin)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(fixture.codec.decodes.values.map(\.count) == [5, 5, 2])
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `what nobody wants any more when the decode begins is not made`() async throws {
        try await PipelineFixture.open(holding: [.begin]) { fixture in
            let gone = fixture.ask(fixture.request("photo.jpg", 16))
            let kept = fixture.ask(fixture.request("photo.jpg", 32))
            fixture.cancel(gone)
            fixture.signal(fixture.codec.mayBegin)
            #expect(await code(of: kept) == nil)
            #expect(await code(of: gone) == "cancelled")
            #expect(fixture.codec.decodes.values == [[Self.spec(32)]])
        }
    }

    @Test func `two spellings of one URL share the download and the decode`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let loads = [fixture.url("photo.jpg"), "HTTP://Origin.test:80/photo.jpg#x"].map { url in
                fixture.ask(ImageRequest(url, .fit(32, 32)))
            }
            fixture.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.codec.decodes.values == [[Self.spec(32)]])
        }
    }

    @Test func `bytes, facts, pixels and a rendition of one source share its download`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let request = fixture.request()
            let data = fixture.start { try await $0.data(for: request) }
            let info = fixture.start { try await $0.info(of: request.source) }
            let pixels = fixture.start { try await $0.bitmap(for: request) }
            let rendition = fixture.ask(request)
            fixture.signal(gate)
            let bytes = try await data.value.bytes
            let length = try await info.value.bytes
            let (bitmap, encoded) = (try await pixels.value.size, try await rendition.value.size)
            #expect(bytes == PipelineFixture.photo && length.bytes == PipelineFixture.photo.count)
            #expect(bitmap == encoded)
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.codec.decodes.values == [[Self.spec(32), .pixels(.fit(32, 32))]])
        }
    }

    @Test func `unchecked bytes are fetched on their own`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let request = fixture.request()
            let checked = fixture.start { try await $0.data(for: request) }
            let raw = fixture.start { try await $0.data(for: request, check: .none) }
            fixture.signal(gate)
            let (first, second) = (try await checked.value, try await raw.value)
            #expect(first.bytes == second.bytes)
            #expect(first.facts != nil && second.facts == nil)
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    static let strangers: [(String, @Sendable (inout ImageRequest) -> Void)] = [
        ("partition", { $0.partition = "b" }),
        ("credentials", { $0.headers = [HeaderField("Authorization", "Bearer b")] }),
        ("policy (6)", { $0.cachePolicy = .noStore }),
        ("limits", { $0.limits.sourceBytes = .mebibytes(1) }),
        ("URL credentials", { $0.source = .url("http://b:b@origin.test/photo.jpg") }),
    ]

    @Test(arguments: strangers.indices)
    func `tenants, credentials, policies and limits never share a flight`(index: Int) async throws {
        try await PipelineFixture.open { fixture in
            fixture.origin.answer { _ in .bytes(PipelineFixture.photo).after(.pause(.seconds(1))) }
            let one = fixture.request()
            var other = one
            Self.strangers[index].1(&other)
            let loads = [fixture.ask(one), fixture.ask(other)]
            #expect(fixture.origin.statistics.open == 2)
            fixture.clock.advance(by: .seconds(1))
            fixture.settle()
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(fixture.origin.statistics.requests == 2)
            #expect(fixture.codec.decodes.count == 2)
        }
    }

    @Test(arguments: [0, 1])
    func `one of two callers leaves, and the other gets the picture`(
        leaving: Int
    )
        async throws
    {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let loads = (0..<2).map { _ in fixture.ask(fixture.request()) }
            fixture.cancel(loads[leaving])
            #expect(await code(of: loads[leaving]) == "cancelled")
            #expect(fixture.origin.statistics.open == 1)
            fixture.signal(gate)
            #expect(await code(of: loads[1 - leaving]) == nil)
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.origin.statistics.cancelled == 0)
        }
    }

    @Test func `one of two sizes leaves, and the other gets its picture`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let loads = [16, 32].map { fixture.ask(fixture.request("photo.jpg", $0)) }
            fixture.cancel(loads[0])
            fixture.signal(gate)
            let width = try await loads[1].value.size.width
            #expect(width == 32)
            #expect(await code(of: loads[0]) == "cancelled")
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.codec.decodes.values == [[Self.spec(32)]])
        }
    }

    @Test func `all callers leave, and the origin sees one cancel`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try fixture.hold()
            let loads = [16, 16, 32].map { fixture.ask(fixture.request("photo.jpg", $0)) }
            for load in loads { fixture.cancel(load) }
            for load in loads { #expect(await code(of: load) == "cancelled") }
            #expect(fixture.origin.statistics.cancelled == 1)
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.pipeline.snapshot.isQuiet)
            #expect(fixture.pipeline.memoryCache.count == 0)
        }
    }

    @Test func `a failure reaches all waiters, and the next load starts over`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = Event()
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: .status(503).after(.until(gate)),
                .bytes(PipelineFixture.photo)
            )
            let loads = [16, 16, 32, 32].map { fixture.ask(fixture.request("photo.jpg", $0)) }
            fixture.cancel(loads[0])
            fixture.signal(gate)
            var codes: [String?] = []
            for load in loads { codes.append(await code(of: load)) }
            #expect(codes == ["cancelled", "http_503", "http_503", "http_503"])
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.pipeline.snapshot.isQuiet)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test func `a caller after the last has left starts over, though the old work is still ending`()
        async throws
    {
        try await PipelineFixture.open(holding: [.end]) { fixture in
            // A decode that has begun runs to its end, cancelled or not.
            let old = fixture.ask(fixture.request())
            old.cancel()
            let new = fixture.ask(fixture.request())
            #expect(await code(of: old) == "cancelled")
            fixture.signal(fixture.codec.mayEnd)
            #expect(await code(of: new) == nil)
            #expect(fixture.codec.decodes.count == 2)
            #expect(fixture.pipeline.snapshot.isQuiet)
        }
    }

    @Test func `cancelled and immediately requested again, it loads`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let first = fixture.ask(fixture.request())
            first.cancel()
            let second = fixture.ask(fixture.request())
            fixture.signal(gate)
            #expect(await code(of: first) == "cancelled")
            #expect(await code(of: second) == nil)
        }
    }

    @Test func `a result that comes after the cancel is not delivered and not kept`() async throws {
        try await PipelineFixture.open(holding: [.end]) { fixture in
            let load = fixture.ask(fixture.request())
            #expect(fixture.codec.decodes.count == 1)
            fixture.cancel(load)
            fixture.signal(fixture.codec.mayEnd)
            #expect(await code(of: load) == "cancelled")
            #expect(fixture.pipeline.memoryCache.count == 0)
            #expect(fixture.pipeline.snapshot.isQuiet)
        }
    }

    @Test func `one size that cannot be encoded fails alone`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            // WebP has at most 16,383 pixels a side.
            var long = ImageRequest(fixture.url("photo.jpg"), .stretch(20_000, 1), .webp)
            let loads = [fixture.ask(long), fixture.ask(fixture.request())]
            fixture.signal(gate)
            #expect(await code(of: loads[0]) == "encode_failed")
            #expect(await code(of: loads[1]) == nil)
            #expect(fixture.codec.decodes.count == 1)
            long.output = .jpeg
            #expect(await code(of: fixture.ask(long)) == nil)
        }
    }

    @Test func `an immediate result leaves no entry behind`() async throws {
        try await PipelineFixture.open { fixture in
            #expect(
                await code(of: fixture.ask(ImageRequest(.bytes(PipelineFixture.photo), .fit(8, 8)))) == nil
            )
            #expect(fixture.pipeline.snapshot.isQuiet)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(fixture.pipeline.snapshot.isQuiet)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a redirect's two names share what they lead to only under one name`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("old.jpg"), with: .redirect(to: "/photo.jpg"))
            let loads = ["old.jpg", "photo.jpg"].map { fixture.ask(fixture.request($0)) }
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(fixture.origin.statistics.requests == 3)
        }
    }
}
