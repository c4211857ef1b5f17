import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCatalog

/// What is an answer and what is an error, and what of it is kept.
@Suite(.timeLimit(.minutes(1)))
struct CatalogResponseTests {
    private static let page: [UInt8] = Array(Fixtures.page.utf8)

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: ScriptedResponse
        var code: String
        var retryAfter: Duration?

        init(_ name: String, _ answer: ScriptedResponse, _ code: String, after: Duration? = nil) {
            testDescription = name
            self.answer = answer
            self.code = code
            retryAfter = after
        }
    }

    private static let cut = StoreFront.answer([1, 2, 3])
        .cut(after: ByteCount(500))

    static let refusals: [Refusal] = [
        Refusal("403 without a body", .status(403), "rate_limited", after: .seconds(60)),
        Refusal(
            "403 without a length",
            ScriptedResponse(status: 403, length: .unknown),
            "rate_limited",
            after: .seconds(60)
        ),
        Refusal(
            "403 with a page",
            ScriptedResponse(status: 403, body: [.bytes(page)]),
            "http_403"
        ),
        Refusal("429", .status(429), "rate_limited", after: .seconds(60)),
        Refusal(
            "429 with Retry-After",
            .status(429, headers: ["Retry-After": "7"]),
            "rate_limited",
            after: .seconds(7)
        ),
        Refusal(
            "429 with a page and a long Retry-After",
            ScriptedResponse(status: 429, headers: ["Retry-After": "99999"], body: [.bytes(page)]),
            "rate_limited",
            after: .seconds(3600)
        ),
        Refusal("400", .status(400), "http_400"),
        Refusal("404", .status(404), "http_404"),
        Refusal("500", .status(500), "http_500"),
        Refusal("503", .status(503, headers: ["Retry-After": "9"]), "http_503", after: .seconds(9)),
        Refusal("a page of HTML", StoreFront.text(Fixtures.page), "not_json"),
        Refusal("text", StoreFront.text("busy"), "not_json"),
        Refusal("nothing", StoreFront.text(""), "invalid_document"),
        Refusal("204", .status(204), "invalid_document"),
        Refusal("a body cut on its way", cut, "truncated_body"),
        Refusal("JSON that ends early", StoreFront.text("\n{\"resultCount\":1,\"resu"), "invalid_document"),
        Refusal("JSON of another shape", StoreFront.text("{\"resultCount\":0}"), "invalid_document"),
        Refusal(
            "no connection",
            .failure(CalotypeError(.connectFailed, "no", stage: .connect)),
            "connect_failed"
        ),
    ]

    @Test(arguments: refusals)
    func `a refusal is a typed error, no empty result, and is asked again`(_ refusal: Refusal) async throws {
        try await StoreFront.open { front in
            try front.search(with: refusal.answer, StoreFront.answer([5]))
            let error = try await front.failure()
            #expect(error.code.rawValue == refusal.code)
            #expect(error.retryAfter == refusal.retryAfter)
            #expect(error.url?.hasPrefix("http://store.test/search?term=moss") == true)
            front.clock.advance(by: .seconds(3600))
            let ids = try await front.ids()
            #expect(ids == [5])
            #expect(front.origin.statistics.requests == 2)
        }
    }

    @Test func `an origin that never responds is a timeout`() async throws {
        try await StoreFront.open { front in
            try front.search(with: .never)
            let search = await front.start(waiting: 1)
            while front.catalog.apps.waiterCount > 0 {
                front.clock.advanceToNextSleeper()
                await Task.yield()
            }
            let error = await #expect(throws: CatalogError.self) { try await search.value }
            #expect(error?.code.rawValue.hasPrefix("timeout_") == true)
        }
    }

    @Test func `a response that is too large is an error`() async throws {
        try await StoreFront.open {
            $0.documentLimit = ByteCount(1000)
        } _: { front in
            try front.search(with: StoreFront.answer([1, 2, 3]))
            let error = try await front.failure()
            #expect(error.code == .tooManyBytes)
        }
    }

    @Test func `no results are a valid response`() async throws {
        try await StoreFront.open { front in
            let answer = try await front.catalog.apps.response(to: AppStoreQuery("moss"))
            #expect(answer.apps.isEmpty && answer.query == AppStoreQuery("moss"))
            #expect(answer.listing.freshUntil == WallTime(secondsSince1970: 1_000_060))
        }
    }

    @Test func `while the store wants to be left alone, nobody asks it, and then it is asked again`()
        async throws
    {
        try await StoreFront.open { front in
            try front.search(with: StoreFront.answer([1]))
            try front.search(
                "fern",
                with: .status(429, headers: ["Retry-After": "30"]),
                StoreFront.answer([2])
            )
            let before = try await front.ids()
            #expect(before == [1])
            #expect(try await front.failure("fern").retryAfter == .seconds(30))
            front.clock.advance(by: .seconds(10))
            let error = try await front.failure("fern")
            #expect(error.code == .rateLimited && error.retryAfter == .seconds(20))
            #expect(front.origin.statistics.requests == 2)
            // What is fresh is given all the same, and other services are asked.
            let fresh = try await front.ids()
            #expect(fresh == [1])
            try front.origin.answer("http://store.test/albums/3/photos", with: StoreFront.text("[]"))
            #expect(try await front.catalog.album(3).entries.isEmpty)
            front.clock.advance(by: .seconds(20))
            let after = try await front.ids("fern")
            #expect(after == [2])
        }
    }

    @Test func `calls beyond the limit wait for their time`() async throws {
        try await StoreFront.open {
            $0.appCalls = CallLimit(callsPerMinute: 8, burst: 2)
        } _: { front in
            for term in ["a", "b"] { _ = try await front.ids(term) }
            let third = await front.start("c", waiting: 1)
            try await front.clock.waitForSleepers(1)
            #expect(front.origin.statistics.requests == 2)
            // What is fresh needs no call.
            _ = try await front.catalog.apps.search("a")
            front.clock.advance(by: .seconds(10))
            let ids = try await third.value
            #expect(ids.isEmpty)
            #expect(front.origin.statistics.requests == 3)
        }
    }

    // MARK: What is kept

    @Test func `a response is taken from memory as long as it is fresh`() async throws {
        try await StoreFront.open { front in
            try front.search(with: StoreFront.answer([1]), StoreFront.answer([2]))
            let first = try await front.catalog.apps.response(to: AppStoreQuery("moss"))
            #expect(first.cache == .miss && first.apps.map(\.id) == [1])
            try await QuietCheck.expectQuiet(front.pipeline)
            front.clock.advance(by: .seconds(59))
            let second = try await front.catalog.apps.response(to: AppStoreQuery("moss"))
            #expect(second.cache == .hit && second.apps == first.apps)
            front.clock.advance(by: .seconds(2))
            let third = try await front.ids()
            #expect(third == [2])
            #expect(front.origin.statistics.requests == 2)
        }
    }

    @Test(arguments: [
        (CachePolicy.use, 1), (.immutable, 1), (.reload, 2), (.noStore, 2),
    ])
    func `memory is used as the policy says`(_ policy: CachePolicy, _ requests: Int) async throws {
        try await StoreFront.open {
            $0.cachePolicy = policy
        } _: { front in
            try front.search(with: StoreFront.answer([1]))
            for _ in 0..<2 {
                let ids = try await front.ids()
                #expect(ids == [1])
            }
            #expect(front.origin.statistics.requests == requests)
        }
    }

    @Test func `a response that may not be stored is not stored`() async throws {
        try await StoreFront.open { front in
            try front.search(with: StoreFront.answer([1], ["Cache-Control": "no-store"]))
            for _ in 0..<2 { _ = try await front.ids() }
            #expect(front.origin.statistics.requests == 2)
        }
    }

    @Test func `the number of stored responses is limited`() async throws {
        try await StoreFront.open {
            $0.remembered.count = 2
        } _: { front in
            for term in ["a", "b", "c", "c", "b", "a"] { _ = try await front.ids(term) }
            #expect(front.origin.statistics.requests == 4)
        }
    }

    @Test func `from the cache only, nobody is asked`() async throws {
        try await StoreFront.open {
            $0.cachePolicy = .cacheOnly
        } _: { front in
            let error = try await front.failure()
            #expect(error.code == .notCached)
            #expect(front.origin.statistics.requests == 0)
        }
    }

    @Test func `the pipeline's store has it for the next run, which needs no call for it`() async throws {
        let store = MemoryStore()
        func run(_ requests: Int) async throws {
            try await StoreFront.open {
                $0.appCalls = CallLimit(callsPerMinute: 1)
            } pipeline: {
                $0.store = store
                $0.stores = .documents
            } _: { front in
                try front.search(with: StoreFront.answer([1]))
                let ids = try await front.ids()
                #expect(ids == [1])
                #expect(front.origin.statistics.requests == requests)
                if requests == 0 {
                    // The only call of this minute is still there.
                    _ = try await front.ids("fern")
                }
            }
        }
        try await run(1)
        try await run(0)
    }

    @Test func `what was refused is not in the pipeline's store either`() async throws {
        let store = MemoryStore()
        for page in [Fixtures.page, "{\"resultCount\": 0}", ""] {
            try await StoreFront.open { _ in
            } pipeline: {
                $0.store = store
                $0.stores = .documents
            } _: { front in
                try front.search(with: StoreFront.text(page))
                _ = try await front.failure()
            }
        }
        #expect(store.count == 0)
    }

    @Test func `a base that is not a URL is an error, and a password in it is not shown`() async throws {
        try await StoreFront.open {
            $0.services = CatalogServices(base: "store.test")
        } _: { front in
            let error = try await front.failure()
            #expect(error.code == .invalidURL)
        }
        try await StoreFront.open {
            $0.services = CatalogServices(base: "http://me:secret@store.test")
        } _: { front in
            front.origin.answer { _ in StoreFront.text(Fixtures.page) }
            let error = try await front.failure()
            #expect(error.code == .notJSON && error.url?.hasPrefix("http://store.test/search") == true)
            #expect(!"\(error)".contains("secret"))
        }
    }

    // MARK: Sharing and cancelling

    @Test func `equal searches at the same time are asked once`() async throws {
        try await StoreFront.open { front in
            let event = Event()
            try front.search(with: StoreFront.answer([1]).after(.until(event)))
            let first = await front.start(waiting: 1)
            let second = await front.start(waiting: 2)
            try await front.origin.waitForRequests(1)
            event.signal()
            let all = try await [first.value, second.value]
            #expect(all == [[1], [1]])
            #expect(front.origin.statistics.requests == 1)
        }
    }

    @Test func `a cancelled search ends immediately, and the request ends with its last waiter`() async throws
    {
        try await StoreFront.open { front in
            try front.search(with: .never)
            let tasks = [await front.start(waiting: 1), await front.start(waiting: 2)]
            try await front.origin.waitForRequests(1)
            tasks[0].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[0].value }
            #expect(front.origin.statistics.open == 1)
            tasks[1].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[1].value }
            try await front.origin.statistics { $0.cancelled == 1 && $0.open == 0 }
        }
    }

    @Test func `a search that was cancelled before it begins asks nobody`() async throws {
        try await StoreFront.open { front in
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await front.catalog.apps.search("moss")
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(front.origin.statistics.requests == 0)
        }
    }

    @Test func `after the pipeline's end there is nothing, not even from memory`() async throws {
        let kept = Guarded<StoreFront?>(nil)
        try await StoreFront.open { front in
            _ = try await front.ids()
            kept.withLock { $0 = front }
        }
        let front = try #require(kept.withLock { $0 })
        let error = try await front.failure()
        #expect(error.code == .pipelineClosed)
    }
}
