import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import Testing

@testable import Calotype

/// What is kept is given for as long as its origin allows, and no longer (RFC 9111).
@Suite(.timeLimit(.minutes(1)))
struct FreshnessTests {
    private let documents = DocumentFixture()

    private func open(
        _ place: DocumentFixture.Place = .store,
        _ body: (PipelineFixture) async throws -> Void
    ) async throws {
        try await PipelineFixture.open {
            documents.configure(&$0, place)
        } _: {
            try await body($0)
        }
    }

    @Test(arguments: DocumentFixture.Place.allCases)
    func `a fresh entry is served without a request, and a stale one is requested`(
        place: DocumentFixture.Place
    ) async throws {
        try await open(place) { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304)
            )
            try await fixture.expectUse(.miss)
            documents.advance(by: .seconds(59))
            try await fixture.expectUse(.hit)
            #expect(fixture.origin.statistics.requests == 1)
            documents.advance(by: .seconds(1))
            try await fixture.expectUse(.revalidated)
            #expect(fixture.lastField("If-None-Match") == "\"1\"")
        }
    }

    @Test(arguments: DocumentFixture.Place.allCases)
    func `a 304 keeps the picture undecoded, and makes it fresh again`(
        place: DocumentFixture.Place
    ) async throws {
        try await open(place) { fixture in
            let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=0", "Last-Modified": changed]),
                .status(304, headers: ["Cache-Control": "max-age=60"])
            )
            let first = try await fixture.ask(fixture.request()).value
            let second = try await fixture.ask(fixture.request()).value
            #expect(fixture.lastField("If-Modified-Since") == changed)
            #expect(second.bytes == first.bytes && second.cache == .revalidated && second.attempts == 1)
            #expect(fixture.kinds(of: 2).last == .finished(.revalidated))
            documents.advance(by: .seconds(59))
            let third = try await fixture.ask(fixture.request()).value
            #expect(third.cache == .hit && third.attempts == 0)
            #expect(fixture.origin.statistics.requests == 2)
            #expect(fixture.codec.decodes.count == 1)
        }
    }

    @Test(arguments: DocumentFixture.Place.allCases)
    func `a changed picture takes the place of the old one`(place: DocumentFixture.Place) async throws {
        try await open(place) { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "no-cache", "ETag": "\"1\""]),
                DocumentFixture.photo(
                    ["Cache-Control": "max-age=60", "ETag": "\"2\""],
                    DocumentFixture.other
                )
            )
            try await fixture.expectUse(.miss)
            for use in [CacheUse.miss, .hit] {
                let rendition = try await fixture.ask(fixture.request()).value
                #expect(rendition.size == PixelSize(width: 32, height: 8))
                #expect(rendition.cache == use)
            }
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test(arguments: DocumentFixture.Place.allCases)
    func `what must not be stored is not`(place: DocumentFixture.Place) async throws {
        try await open(place) { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "no-store"])
            )
            for _ in 0..<2 { try await fixture.expectUse(.miss) }
            #expect(fixture.origin.statistics.requests == 2)
            #expect(documents.store.stored.isEmpty && fixture.pipeline.memoryCache.count == 0)
        }
    }

    @Test func `without freshness information a picture is fresh for five minutes, then it is loaded again`()
        async throws
    {
        try await open { fixture in
            try await fixture.expectUse(.miss)
            documents.advance(by: .seconds(299))
            try await fixture.expectUse(.hit)
            documents.advance(by: .seconds(1))
            try await fixture.expectUse(.miss)
            #expect(fixture.lastField("If-None-Match") == nil)
            try await fixture.expectUse(.hit)
        }
    }

    @Test(arguments: [404, 410])
    func `that a picture is absent is believed for a minute`(status: Int) async throws {
        try await open(.memory) { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: .status(status),
                .bytes(PipelineFixture.photo)
            )
            for _ in 0..<2 { #expect(await code(of: fixture.ask(fixture.request())) == "http_\(status)") }
            let known = fixture.start { try await $0.load(fixture.request()) }
            await #expect(throws: CalotypeError.self) { try await known.value }
            #expect(fixture.origin.statistics.requests == 1)
            documents.advance(by: .seconds(60))
            try await fixture.expectUse(.miss)
        }
    }

    @Test func `that an origin is in trouble is not believed for longer than it is`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: .status(500),
                .bytes(PipelineFixture.photo)
            )
            #expect(await code(of: fixture.ask(fixture.request())) == "http_500")
            try await fixture.expectUse(.miss)
        }
    }

    @Test func `a picture that has gone is forgotten`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=0", "ETag": "\"1\""]),
                .status(404, headers: ["Cache-Control": "no-store"]),
                .bytes(PipelineFixture.photo)
            )
            try await fixture.expectUse(.miss)
            #expect(await code(of: fixture.ask(fixture.request())) == "http_404")
            #expect(documents.store.stored.isEmpty)
            try await fixture.expectUse(.miss)
        }
    }

    @Test(arguments: [
        ("max-age=1, stale-if-error=60", "stale"), ("max-age=1", "http_500"),
        ("max-age=1, stale-if-error=60, must-revalidate", "http_500"),
        ("no-cache, stale-if-error=60", "http_500"),
    ])
    func `when the origin fails, the old picture is given where the origin allows it`(
        control: String,
        outcome: String
    ) async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": control, "ETag": "\"1\""]),
                .status(500)
            )
            try await fixture.expectUse(.miss)
            documents.advance(by: .seconds(2))
            let load = fixture.ask(fixture.request())
            let failure = await code(of: load)
            let seen = failure == nil ? try await load.value.cache.rawValue : failure
            #expect(seen == outcome)
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test
    func
        `while a stale picture is revalidated, all readers get it immediately, and the origin gets one request`()
        async throws
    {
        try await open(.memory) { fixture in
            let renewed = Event()
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo([
                    "Cache-Control": "max-age=1, stale-while-revalidate=60", "ETag": "\"1\"",
                ]),
                DocumentFixture.photo(["Cache-Control": "max-age=60"], DocumentFixture.other).after(
                    .until(renewed)
                )
            )
            try await fixture.expectUse(.miss)
            documents.advance(by: .seconds(2))
            for _ in 0..<100 { try await fixture.expectUse(.stale) }
            #expect(fixture.origin.statistics.requests == 2)
            fixture.signal(renewed)
            #expect(try await fixture.ask(fixture.request()).value.size == PixelSize(width: 32, height: 8))
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test func `a picture that never changes is taken whatever its age`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "no-cache", "ETag": "\"1\""])
            )
            try await fixture.expectUse(.miss) { $0.cachePolicy = .immutable }
            documents.advance(by: .seconds(1_000_000))
            try await fixture.expectUse(.hit) { $0.cachePolicy = .immutable }
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test(arguments: [("max-age=1", "stale"), ("max-age=1, must-revalidate", "not_cached")])
    func `offline, a stale picture is taken where the origin allows it`(
        control: String,
        outcome: String
    )
        async throws
    {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": control])
            )
            try await fixture.expectUse(.miss)
            documents.advance(by: .seconds(2))
            var request = fixture.request()
            request.cachePolicy = .cacheOnly
            let load = fixture.ask(request)
            let failure = await code(of: load)
            let seen = failure == nil ? try await load.value.cache.rawValue : failure
            #expect(seen == outcome)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a reload asks past all caches on the way`() async throws {
        try await open { fixture in
            try await fixture.expectUse(.miss)
            #expect(fixture.lastField("Cache-Control") == nil)
            try await fixture.expectUse(.miss) { $0.cachePolicy = .reload }
            #expect(fixture.lastField("Cache-Control") == "no-cache")
        }
    }

    @Test func `where the way leads through a redirect that may change, the origin is asked each time`()
        async throws
    {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: .redirect(to: "/1.jpg"),
                .redirect(to: "/1.jpg"),
                .redirect(to: "/2.jpg")
            )
            for name in ["1.jpg", "2.jpg"] {
                try fixture.origin.answer(
                    fixture.url(name),
                    with: DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"same\""]),
                    .status(304),
                    DocumentFixture.photo([:], DocumentFixture.other)
                )
            }
            try await fixture.expectUse(.miss)
            try await fixture.expectUse(.revalidated)
            // The first answer of the other place is no 304, and a validator of one place is none of another.
            try await fixture.expectUse(.miss)
        }
    }

    @Test func `a 304 from another URL than the picture's is not accepted`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: .redirect(to: "/1.jpg"),
                .redirect(to: "/2.jpg")
            )
            try fixture.origin.answer(fixture.url("1.jpg"), with: DocumentFixture.photo(["ETag": "\"same\""]))
            try fixture.origin.answer(
                fixture.url("2.jpg"),
                with: .status(304),
                DocumentFixture.photo(["ETag": "\"same\""], DocumentFixture.other)
            )
            try await fixture.expectUse(.miss)
            let rendition = try await fixture.ask(fixture.request()).value
            #expect(rendition.size == PixelSize(width: 32, height: 8) && rendition.cache == .miss)
        }
    }

    @Test func `another user agent is another variant where the origin says so`() async throws {
        for (agent, uses) in [("one", [CacheUse.miss, .hit]), ("two", [.miss, .hit])] {
            try await PipelineFixture.open {
                documents.configure(&$0)
                $0.transport.userAgent = agent
            } _: { fixture in
                try fixture.origin.answer(
                    fixture.url("photo.jpg"),
                    with: DocumentFixture.photo(["Cache-Control": "max-age=60", "Vary": "User-Agent"])
                )
                for use in uses { try await fixture.expectUse(use) }
            }
        }
    }

    @Test func `for several users, what is private is not kept, nor what came with credentials`() async throws
    {
        for (control, count) in [("private, max-age=60", 0), ("max-age=60", 0), ("public, max-age=60", 1)] {
            let documents = DocumentFixture()
            try await PipelineFixture.open {
                documents.configure(&$0)
                $0.freshness.isShared = true
            } _: { fixture in
                try fixture.origin.answer(
                    fixture.url("photo.jpg"),
                    with: DocumentFixture.photo(["Cache-Control": control])
                )
                try await fixture.expectUse(.miss) { $0.headers = [HeaderField("Authorization", "Bearer x")] }
                #expect(documents.store.stored.count == count)
            }
        }
    }

    @Test func `a clock that jumps makes nothing old that is not, and nothing fresh for ever`()
        async throws
    {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304)
            )
            try await fixture.expectUse(.miss)
            documents.advance(by: .seconds(-900_000))
            try await fixture.expectUse(.hit)
            documents.advance(by: .seconds(900_000 + 86_400))
            try await fixture.expectUse(.revalidated)
            documents.advance(by: .seconds(-86_400))
            try await fixture.expectUse(.hit)
        }
    }
}
