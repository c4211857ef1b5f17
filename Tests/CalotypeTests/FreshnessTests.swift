import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import Testing

@testable import Calotype

/// What is kept is given for as long as its origin allows, and no longer (RFC 9111).
@Suite(.timeLimit(.minutes(1)))
struct FreshnessTests {
    private let gazette = Gazette()

    private func open(_ place: Gazette.Place = .store, _ body: (Studio) async throws -> Void) async throws {
        try await Studio.open {
            gazette.configure(&$0, place)
        } _: {
            try await body($0)
        }
    }

    @Test(arguments: Gazette.Place.allCases)
    func `67: what is fresh is given without a request, and what is not is asked for (68)`(
        place: Gazette.Place
    ) async throws {
        try await open(place) { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304)
            )
            try await studio.expectUse(.miss)
            gazette.advance(by: .seconds(59))
            try await studio.expectUse(.hit)
            #expect(studio.origin.statistics.requests == 1)
            gazette.advance(by: .seconds(1))
            try await studio.expectUse(.revalidated)
            #expect(studio.lastField("If-None-Match") == "\"1\"")
        }
    }

    @Test(arguments: Gazette.Place.allCases)
    func `69: a 304 keeps the picture undecoded, and makes it fresh again`(place: Gazette.Place) async throws
    {
        try await open(place) { studio in
            let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "max-age=0", "Last-Modified": changed]),
                .status(304, headers: ["Cache-Control": "max-age=60"])
            )
            let first = try await studio.ask(studio.request()).value
            let second = try await studio.ask(studio.request()).value
            #expect(studio.lastField("If-Modified-Since") == changed)
            #expect(second.bytes == first.bytes && second.cache == .revalidated && second.attempts == 1)
            #expect(studio.kinds(of: 2).last == .finished(.revalidated))
            gazette.advance(by: .seconds(59))
            let third = try await studio.ask(studio.request()).value
            #expect(third.cache == .hit && third.attempts == 0)
            #expect(studio.origin.statistics.requests == 2)
            #expect(studio.codec.decodes.count == 1)
        }
    }

    @Test(arguments: Gazette.Place.allCases)
    func `70: a changed picture takes the place of the old one`(place: Gazette.Place) async throws {
        try await open(place) { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "no-cache", "ETag": "\"1\""]),
                Gazette.photo(["Cache-Control": "max-age=60", "ETag": "\"2\""], Gazette.other)
            )
            try await studio.expectUse(.miss)
            for use in [CacheUse.miss, .hit] {
                let rendition = try await studio.ask(studio.request()).value
                #expect(rendition.size == PixelSize(width: 32, height: 8))
                #expect(rendition.cache == use)
            }
            #expect(studio.origin.statistics.requests == 2)
        }
    }

    @Test(arguments: Gazette.Place.allCases)
    func `66: what must not be stored is not`(place: Gazette.Place) async throws {
        try await open(place) { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "no-store"])
            )
            for _ in 0..<2 { try await studio.expectUse(.miss) }
            #expect(studio.origin.statistics.requests == 2)
            #expect(gazette.store.stored.isEmpty && studio.pipeline.memoryCache.count == 0)
        }
    }

    @Test func `without a word of the origin a picture is fresh for five minutes, then it is loaded anew`()
        async throws
    {
        try await open { studio in
            try await studio.expectUse(.miss)
            gazette.advance(by: .seconds(299))
            try await studio.expectUse(.hit)
            gazette.advance(by: .seconds(1))
            try await studio.expectUse(.miss)
            #expect(studio.lastField("If-None-Match") == nil)
            try await studio.expectUse(.hit)
        }
    }

    @Test(arguments: [404, 410])
    func `71: that a picture is absent is believed for a minute`(status: Int) async throws {
        try await open(.memory) { studio in
            try studio.origin.answer(studio.url("photo.jpg"), with: .status(status), .bytes(Studio.photo))
            for _ in 0..<2 { #expect(await code(of: studio.ask(studio.request())) == "http_\(status)") }
            let known = studio.start { try await $0.load(studio.request()) }
            await #expect(throws: LoadFailure.self) { try await known.value }
            #expect(studio.origin.statistics.requests == 1)
            gazette.advance(by: .seconds(60))
            try await studio.expectUse(.miss)
        }
    }

    @Test func `71: that an origin is in trouble is not believed for longer than it is`() async throws {
        try await open { studio in
            try studio.origin.answer(studio.url("photo.jpg"), with: .status(500), .bytes(Studio.photo))
            #expect(await code(of: studio.ask(studio.request())) == "http_500")
            try await studio.expectUse(.miss)
        }
    }

    @Test func `71: a picture that has gone is forgotten`() async throws {
        try await open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "max-age=0", "ETag": "\"1\""]),
                .status(404, headers: ["Cache-Control": "no-store"]),
                .bytes(Studio.photo)
            )
            try await studio.expectUse(.miss)
            #expect(await code(of: studio.ask(studio.request())) == "http_404")
            #expect(gazette.store.stored.isEmpty)
            try await studio.expectUse(.miss)
        }
    }

    @Test(arguments: [
        ("max-age=1, stale-if-error=60", "stale"), ("max-age=1", "http_500"),
        ("max-age=1, stale-if-error=60, must-revalidate", "http_500"),
        ("no-cache, stale-if-error=60", "http_500"),
    ])
    func `72: when the origin fails, the old picture is given where the origin allows it (C18)`(
        control: String,
        outcome: String
    ) async throws {
        try await open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": control, "ETag": "\"1\""]),
                .status(500)
            )
            try await studio.expectUse(.miss)
            gazette.advance(by: .seconds(2))
            let load = studio.ask(studio.request())
            let failure = await code(of: load)
            let seen = failure == nil ? try await load.value.cache.rawValue : failure
            #expect(seen == outcome)
            #expect(studio.origin.statistics.requests == 2)
        }
    }

    @Test
    func `C18: while a stale picture is renewed, all readers get it at once, and the origin is asked once`()
        async throws
    {
        try await open(.memory) { studio in
            let renewed = Event()
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo([
                    "Cache-Control": "max-age=1, stale-while-revalidate=60", "ETag": "\"1\"",
                ]),
                Gazette.photo(["Cache-Control": "max-age=60"], Gazette.other).after(.until(renewed))
            )
            try await studio.expectUse(.miss)
            gazette.advance(by: .seconds(2))
            for _ in 0..<100 { try await studio.expectUse(.stale) }
            #expect(studio.origin.statistics.requests == 2)
            studio.signal(renewed)
            #expect(try await studio.ask(studio.request()).value.size == PixelSize(width: 32, height: 8))
            #expect(studio.origin.statistics.requests == 2)
        }
    }

    @Test func `a picture that never changes is taken whatever its age`() async throws {
        try await open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "no-cache", "ETag": "\"1\""])
            )
            try await studio.expectUse(.miss) { $0.cachePolicy = .immutable }
            gazette.advance(by: .seconds(1_000_000))
            try await studio.expectUse(.hit) { $0.cachePolicy = .immutable }
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test(arguments: [("max-age=1", "stale"), ("max-age=1, must-revalidate", "not_cached")])
    func `72: offline, a stale picture is taken where the origin allows it`(
        control: String,
        outcome: String
    )
        async throws
    {
        try await open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": control])
            )
            try await studio.expectUse(.miss)
            gazette.advance(by: .seconds(2))
            var request = studio.request()
            request.cachePolicy = .cacheOnly
            let load = studio.ask(request)
            let failure = await code(of: load)
            let seen = failure == nil ? try await load.value.cache.rawValue : failure
            #expect(seen == outcome)
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `a reload asks past all caches on the way`() async throws {
        try await open { studio in
            try await studio.expectUse(.miss)
            #expect(studio.lastField("Cache-Control") == nil)
            try await studio.expectUse(.miss) { $0.cachePolicy = .reload }
            #expect(studio.lastField("Cache-Control") == "no-cache")
        }
    }

    @Test func `where the way leads through a redirect that may change, the origin is asked each time`()
        async throws
    {
        try await open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: .redirect(to: "/1.jpg"),
                .redirect(to: "/1.jpg"),
                .redirect(to: "/2.jpg")
            )
            for name in ["1.jpg", "2.jpg"] {
                try studio.origin.answer(
                    studio.url(name),
                    with: Gazette.photo(["Cache-Control": "max-age=60", "ETag": "\"same\""]),
                    .status(304),
                    Gazette.photo([:], Gazette.other)
                )
            }
            try await studio.expectUse(.miss)
            try await studio.expectUse(.revalidated)
            // The first answer of the other place is no 304, and a validator of one place is none of another.
            try await studio.expectUse(.miss)
        }
    }

    @Test func `a 304 from another place than the picture's is no answer`() async throws {
        try await open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: .redirect(to: "/1.jpg"),
                .redirect(to: "/2.jpg")
            )
            try studio.origin.answer(studio.url("1.jpg"), with: Gazette.photo(["ETag": "\"same\""]))
            try studio.origin.answer(
                studio.url("2.jpg"),
                with: .status(304),
                Gazette.photo(["ETag": "\"same\""], Gazette.other)
            )
            try await studio.expectUse(.miss)
            let rendition = try await studio.ask(studio.request()).value
            #expect(rendition.size == PixelSize(width: 32, height: 8) && rendition.cache == .miss)
        }
    }

    @Test func `C15: another user agent is another variant where the origin says so`() async throws {
        for (agent, uses) in [("one", [CacheUse.miss, .hit]), ("two", [.miss, .hit])] {
            try await Studio.open {
                gazette.configure(&$0)
                $0.transport.userAgent = agent
            } _: { studio in
                try studio.origin.answer(
                    studio.url("photo.jpg"),
                    with: Gazette.photo(["Cache-Control": "max-age=60", "Vary": "User-Agent"])
                )
                for use in uses { try await studio.expectUse(use) }
            }
        }
    }

    @Test func `for several users, what is private is not kept, nor what came with credentials`() async throws
    {
        for (control, count) in [("private, max-age=60", 0), ("max-age=60", 0), ("public, max-age=60", 1)] {
            let gazette = Gazette()
            try await Studio.open {
                gazette.configure(&$0)
                $0.freshness.isShared = true
            } _: { studio in
                try studio.origin.answer(
                    studio.url("photo.jpg"),
                    with: Gazette.photo(["Cache-Control": control])
                )
                try await studio.expectUse(.miss) { $0.headers = [HeaderField("Authorization", "Bearer x")] }
                #expect(gazette.store.stored.count == count)
            }
        }
    }

    @Test func `C10: a clock that jumps makes nothing old that is not, and nothing fresh for ever`()
        async throws
    {
        try await open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304)
            )
            try await studio.expectUse(.miss)
            gazette.advance(by: .seconds(-900_000))
            try await studio.expectUse(.hit)
            gazette.advance(by: .seconds(900_000 + 86_400))
            try await studio.expectUse(.revalidated)
            gazette.advance(by: .seconds(-86_400))
            try await studio.expectUse(.hit)
        }
    }
}
