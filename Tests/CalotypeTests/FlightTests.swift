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
    func `two sizes at once come from one download and one decode, each its own size (2, 5)`(
        first: Int,
        second: Int
    ) async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let loads = [first, second].map { studio.ask(studio.request("photo.jpg", $0)) }
            studio.signal(gate)
            let widths = [try await loads[0].value.size.width, try await loads[1].value.size.width]
            #expect(widths == [first, second])
            #expect(studio.origin.statistics.requests == 1)
            #expect(studio.codec.decodes.values == [[Self.spec(first), Self.spec(second)]])
        }
    }

    @Test func `equal loads share every step, and each gets the picture (1, 16, 19)`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let loads = (0..<10).map { _ in studio.ask(studio.request()) }
            #expect(studio.pipeline.snapshot.flights == 3)
            studio.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(studio.origin.statistics.requests == 1)
            #expect(studio.codec.decodes.values == [[Self.spec(32)]])
        }
    }

    @Test func `a size asked for while the decode waits for a core comes from it`() async throws {
        try await Studio.open(holding: [.begin]) { studio in
            let early = studio.ask(studio.request("photo.jpg", 16))
            #expect(studio.origin.statistics.completed == 1)
            let late = studio.ask(studio.request("photo.jpg", 32))
            studio.signal(studio.codec.mayBegin)
            let widths = [try await early.value.size.width, try await late.value.size.width]
            #expect(widths == [16, 32])
            #expect(studio.codec.decodes.values == [[Self.spec(16), Self.spec(32)]])
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `a size asked for while the decode runs takes the bytes that are there (10)`() async throws {
        try await Studio.open(holding: [.end]) { studio in
            let early = studio.ask(studio.request("photo.jpg", 16))
            #expect(studio.codec.decodes.count == 1)
            let late = studio.ask(studio.request("photo.jpg", 32))
            let same = studio.ask(studio.request("photo.jpg", 16))
            #expect(studio.codec.decodes.values == [[Self.spec(16)], [Self.spec(32)]])
            studio.signal(studio.codec.mayEnd)
            for load in [early, late, same] { #expect(await code(of: load) == nil) }
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test(arguments: ["equal", "another size", "bytes"])
    func `a load that joins a hanging one late has a source's whole time all the same`(
        kind: String
    ) async throws {
        try await Studio.open { studio in
            let hung = try studio.hold()
            let early = studio.ask(studio.request())
            studio.advance(by: .seconds(8))
            let request = studio.request("photo.jpg", kind == "another size" ? 16 : 32)
            let late: [Task<Void, any Error>] = (0..<3).map { _ in
                kind == "bytes"
                    ? studio.start { _ = try await $0.data(for: request) }
                    : studio.start { _ = try await $0.rendition(for: request) }
            }
            #expect(studio.origin.statistics.requests == 1)
            studio.advance(by: .seconds(3))
            #expect(await code(of: early) == "timeout_headers")
            // The three have joined each other.
            #expect(studio.origin.statistics.requests == 2)
            studio.advance(by: .seconds(9))
            studio.signal(hung)
            for load in late { #expect(await code(of: load) == nil) }
            #expect(studio.origin.statistics.requests == 2)
        }
    }

    @Test func `loads that hang together end together, without another request`() async throws {
        try await Studio.open { studio in
            _ = try studio.hold()
            let loads = [16, 32, 32].map { studio.ask(studio.request("photo.jpg", $0)) }
            studio.advance(by: .seconds(11))
            for load in loads { #expect(await code(of: load) == "timeout_headers") }
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `a load that joins a last attempt has attempts of its own`() async throws {
        try await Studio.open {
            $0.retries = 1
        } _: { studio in
            let (first, second) = (Event(), Event())
            let failed = ScriptedAnswer(status: 500)
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: failed.after(.until(first)),
                failed.after(.until(second)),
                .bytes(Studio.photo)
            )
            let early = studio.ask(studio.request())
            studio.advance(by: .seconds(4))
            studio.signal(first)
            studio.advance(by: .seconds(1))
            let late = studio.ask(studio.request("photo.jpg", 16))
            studio.signal(second)
            #expect(await code(of: early) == "http_500")
            #expect(await code(of: late) == nil)
            #expect(studio.origin.statistics.requests == 3)
        }
    }

    @Test(arguments: [ErrorCode.timeoutDecode, .decoderCrashed])
    func `a decode that fails for being many is done again for each alone`(_ reason: ErrorCode) async throws {
        try await Studio.open { studio in
            studio.codec.failure.withLock {
                $0 = { $0.count == 1 ? nil : CalotypeError(reason, "too many", stage: .decode) }
            }
            let gate = try studio.hold()
            let loads = [16, 24, 32].map { studio.ask(studio.request("photo.jpg", $0)) }
            studio.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(studio.codec.decodes.values.map(\.count) == [3, 1, 1, 1])
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `a picture that fails alone as well fails nobody else`() async throws {
        try await Studio.open { studio in
            let bad = Self.spec(24)
            studio.codec.failure.withLock {
                $0 = { specs in
                    specs.contains(bad) ? CalotypeError(.timeoutDecode, "slow", stage: .decode) : nil
                }
            }
            let gate = try studio.hold()
            let loads = [16, 24, 32].map { studio.ask(studio.request("photo.jpg", $0)) }
            studio.signal(gate)
            var codes: [String?] = []
            for load in loads { codes.append(await code(of: load)) }
            #expect(codes == [nil, "timeout_decode", nil])
        }
    }

    @Test func `widths of a large source are made by several decodes, from one download`() async throws {
        try await Studio.open(holding: [.begin]) { studio in
            studio.codec.claim.withLock {
                $0 = ImageFacts(format: .jpeg, storedSize: PixelSize(width: 9900, height: 9900))
            }
            let gate = try studio.hold()
            let loads = (1...12).map { studio.ask(studio.request("photo.jpg", $0 * 4)) }
            studio.signal(gate)
            // Each with a core and a time limit of its own, and all of them at the same time.
            #expect(studio.codec.priorities.count == 3)
            studio.signal(studio.codec.mayBegin)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(studio.codec.decodes.values.map(\.count) == [5, 5, 2])
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `what nobody wants any more when the decode begins is not made`() async throws {
        try await Studio.open(holding: [.begin]) { studio in
            let gone = studio.ask(studio.request("photo.jpg", 16))
            let kept = studio.ask(studio.request("photo.jpg", 32))
            studio.cancel(gone)
            studio.signal(studio.codec.mayBegin)
            #expect(await code(of: kept) == nil)
            #expect(await code(of: gone) == "cancelled")
            #expect(studio.codec.decodes.values == [[Self.spec(32)]])
        }
    }

    @Test func `two spellings of one URL share the download and the decode`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let loads = [studio.url("photo.jpg"), "HTTP://Origin.test:80/photo.jpg#x"].map { url in
                studio.ask(ImageRequest(url, .fit(32, 32)))
            }
            studio.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(studio.origin.statistics.requests == 1)
            #expect(studio.codec.decodes.values == [[Self.spec(32)]])
        }
    }

    @Test func `bytes, facts, pixels and a rendition of one source share its download (10)`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let request = studio.request()
            let data = studio.start { try await $0.data(for: request) }
            let info = studio.start { try await $0.info(of: request.source) }
            let pixels = studio.start { try await $0.bitmap(for: request) }
            let rendition = studio.ask(request)
            studio.signal(gate)
            let bytes = try await data.value.bytes
            let length = try await info.value.bytes
            let (bitmap, encoded) = (try await pixels.value.size, try await rendition.value.size)
            #expect(bytes == Studio.photo && length.bytes == Studio.photo.count)
            #expect(bitmap == encoded)
            #expect(studio.origin.statistics.requests == 1)
            #expect(studio.codec.decodes.values == [[Self.spec(32), .pixels(.fit(32, 32))]])
        }
    }

    @Test func `unchecked bytes are fetched on their own`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let request = studio.request()
            let checked = studio.start { try await $0.data(for: request) }
            let raw = studio.start { try await $0.data(for: request, check: .none) }
            studio.signal(gate)
            let (first, second) = (try await checked.value, try await raw.value)
            #expect(first.bytes == second.bytes)
            #expect(first.facts != nil && second.facts == nil)
            #expect(studio.origin.statistics.requests == 2)
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
    func `tenants, credentials, policies and limits never share a flight (6)`(index: Int) async throws {
        try await Studio.open { studio in
            studio.origin.answer { _ in .bytes(Studio.photo).after(.pause(.seconds(1))) }
            let one = studio.request()
            var other = one
            Self.strangers[index].1(&other)
            let loads = [studio.ask(one), studio.ask(other)]
            #expect(studio.origin.statistics.open == 2)
            studio.clock.advance(by: .seconds(1))
            studio.settle()
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(studio.origin.statistics.requests == 2)
            #expect(studio.codec.decodes.count == 2)
        }
    }

    @Test(arguments: [0, 1])
    func `one of two callers leaves, and the other gets the picture (7, 18, 20, 26)`(
        leaving: Int
    )
        async throws
    {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let loads = (0..<2).map { _ in studio.ask(studio.request()) }
            studio.cancel(loads[leaving])
            #expect(await code(of: loads[leaving]) == "cancelled")
            #expect(studio.origin.statistics.open == 1)
            studio.signal(gate)
            #expect(await code(of: loads[1 - leaving]) == nil)
            #expect(studio.origin.statistics.requests == 1)
            #expect(studio.origin.statistics.cancelled == 0)
        }
    }

    @Test func `one of two sizes leaves, and the other gets its picture (7)`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let loads = [16, 32].map { studio.ask(studio.request("photo.jpg", $0)) }
            studio.cancel(loads[0])
            studio.signal(gate)
            let width = try await loads[1].value.size.width
            #expect(width == 32)
            #expect(await code(of: loads[0]) == "cancelled")
            #expect(studio.origin.statistics.requests == 1)
            #expect(studio.codec.decodes.values == [[Self.spec(32)]])
        }
    }

    @Test func `all callers leave, and the origin sees one cancel (8, 20)`() async throws {
        try await Studio.open { studio in
            _ = try studio.hold()
            let loads = [16, 16, 32].map { studio.ask(studio.request("photo.jpg", $0)) }
            for load in loads { studio.cancel(load) }
            for load in loads { #expect(await code(of: load) == "cancelled") }
            #expect(studio.origin.statistics.cancelled == 1)
            #expect(studio.origin.statistics.requests == 1)
            #expect(studio.pipeline.snapshot.isQuiet)
            #expect(studio.pipeline.memoryCache.count == 0)
        }
    }

    @Test func `a failure reaches all who wait, and the next load starts anew (11, 25, 26b)`() async throws {
        try await Studio.open { studio in
            let gate = Event()
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: .status(503).after(.until(gate)),
                .bytes(Studio.photo)
            )
            let loads = [16, 16, 32, 32].map { studio.ask(studio.request("photo.jpg", $0)) }
            studio.cancel(loads[0])
            studio.signal(gate)
            var codes: [String?] = []
            for load in loads { codes.append(await code(of: load)) }
            #expect(codes == ["cancelled", "http_503", "http_503", "http_503"])
            #expect(studio.origin.statistics.requests == 1)
            #expect(studio.pipeline.snapshot.isQuiet)
            #expect(await code(of: studio.ask(studio.request())) == nil)
            #expect(studio.origin.statistics.requests == 2)
        }
    }

    @Test func `who comes after the last has left starts anew, though the old work still ends (12, 17, 24)`()
        async throws
    {
        try await Studio.open(holding: [.end]) { studio in
            // A decode that has begun runs to its end, cancelled or not.
            let old = studio.ask(studio.request())
            old.cancel()
            let new = studio.ask(studio.request())
            #expect(await code(of: old) == "cancelled")
            studio.signal(studio.codec.mayEnd)
            #expect(await code(of: new) == nil)
            #expect(studio.codec.decodes.count == 2)
            #expect(studio.pipeline.snapshot.isQuiet)
        }
    }

    @Test func `cancelled and asked again at once, it comes (17)`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let first = studio.ask(studio.request())
            first.cancel()
            let second = studio.ask(studio.request())
            studio.signal(gate)
            #expect(await code(of: first) == "cancelled")
            #expect(await code(of: second) == nil)
        }
    }

    @Test func `a result that comes after the cancel is not delivered and not kept (22)`() async throws {
        try await Studio.open(holding: [.end]) { studio in
            let load = studio.ask(studio.request())
            #expect(studio.codec.decodes.count == 1)
            studio.cancel(load)
            studio.signal(studio.codec.mayEnd)
            #expect(await code(of: load) == "cancelled")
            #expect(studio.pipeline.memoryCache.count == 0)
            #expect(studio.pipeline.snapshot.isQuiet)
        }
    }

    @Test func `one size that cannot be encoded fails alone`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            // WebP has at most 16,383 pixels a side.
            var long = ImageRequest(studio.url("photo.jpg"), .stretch(20_000, 1), .webp)
            let loads = [studio.ask(long), studio.ask(studio.request())]
            studio.signal(gate)
            #expect(await code(of: loads[0]) == "encode_failed")
            #expect(await code(of: loads[1]) == nil)
            #expect(studio.codec.decodes.count == 1)
            long.output = .jpeg
            #expect(await code(of: studio.ask(long)) == nil)
        }
    }

    @Test func `what is there at once leaves no entry behind (13)`() async throws {
        try await Studio.open { studio in
            #expect(await code(of: studio.ask(ImageRequest(.bytes(Studio.photo), .fit(8, 8)))) == nil)
            #expect(studio.pipeline.snapshot.isQuiet)
            #expect(await code(of: studio.ask(studio.request())) == nil)
            #expect(await code(of: studio.ask(studio.request())) == nil)
            #expect(studio.pipeline.snapshot.isQuiet)
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `a redirect's two names share what they lead to only under one name`() async throws {
        try await Studio.open { studio in
            try studio.origin.answer(studio.url("old.jpg"), with: .redirect(to: "/photo.jpg"))
            let loads = ["old.jpg", "photo.jpg"].map { studio.ask(studio.request($0)) }
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(studio.origin.statistics.requests == 3)
        }
    }
}
