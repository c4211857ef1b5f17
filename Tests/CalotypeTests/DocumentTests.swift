import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Documents: what is read is kept, what cannot be read is not.
@Suite(.timeLimit(.minutes(1)))
struct DocumentTests {
    struct Unreadable: Error {}

    private let documents = DocumentFixture()
    private let fresh: KeyValuePairs = ["Cache-Control": "max-age=60", "ETag": "\"1\""]

    private func open(_ body: (PipelineFixture) async throws -> Void) async throws {
        try await PipelineFixture.open {
            documents.configure(&$0)
            $0.stores = .documents
            $0.retries = 2
        } _: {
            try await body($0)
        }
    }

    /// Takes what begins with a brace.
    private static func read(_ bytes: [UInt8]) throws -> Int {
        guard bytes.first == UInt8(ascii: "{") else { throw Unreadable() }
        return bytes.count
    }

    private func start(
        _ fixture: PipelineFixture,
        _ policy: CachePolicy = .use
    ) -> Task<Document<Int>, any Error> {
        var request = DocumentRequest(fixture.url("search"))
        request.cachePolicy = policy
        return fixture.start { [request] in try await $0.document(for: request, read: Self.read) }
    }

    /// Loads the document, and expects what it is and where it comes from.
    private func expect(
        _ fixture: PipelineFixture,
        value: Int = 2,
        cache: CacheUse,
        _ policy: CachePolicy = .use
    ) async throws {
        let document = try await start(fixture, policy).value
        #expect(document.value == value && document.cache == cache)
    }

    private func answer(_ text: String, _ headers: KeyValuePairs<String, String>) -> ScriptedResponse {
        ScriptedResponse(headers: headers, body: [.bytes(Array(text.utf8))])
    }

    @Test func `a document is read from the store while it is fresh, and requested after that`()
        async throws
    {
        try await open { fixture in
            try fixture.origin.answer(fixture.url("search"), with: answer("{1}", fresh), .status(304))
            let first = try await start(fixture).value
            #expect(first.value == 3 && first.cache == .miss)
            #expect(first.freshUntil == WallTime(secondsSince1970: 1_000_060))
            try await expect(fixture, value: 3, cache: .hit)
            documents.advance(by: .seconds(60))
            try await expect(fixture, value: 3, cache: .revalidated)
            #expect(fixture.lastField("If-None-Match") == "\"1\"")
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test func `what cannot be read is an error and is not stored`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("search"),
                with: answer("<html>", fresh),
                answer("{}", fresh)
            )
            let failing = start(fixture)
            await #expect(throws: Unreadable.self) { try await failing.value }
            #expect(documents.store.stored.isEmpty)
            try await expect(fixture, cache: .miss)
            #expect(documents.store.stored.count == 1)
        }
    }

    @Test func `unreadable data is requested again, though another reader still has it`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("search"),
                with: answer("<html>", fresh),
                answer("{}", fresh)
            )
            let source = DocumentRequest(fixture.url("search")).source
            let held = try await fixture.start { pipeline in
                try await pipeline.sources.source(
                    for: try SourceKey(source, .document),
                    priority: LivePriority(source)
                )
            }.value
            let failing = start(fixture)
            await #expect(throws: Unreadable.self) { try await failing.value }
            try await expect(fixture, cache: .miss)
            #expect(fixture.origin.statistics.requests == 2)
            held.stay()
        }
    }

    @Test func `stored bytes that can no longer be read are loaded again`() async throws {
        try await open { fixture in
            try fixture.origin.answer(fixture.url("search"), with: answer("[1]", fresh), answer("{1}", fresh))
            let request = DocumentRequest(fixture.url("search"))
            let old = fixture.start { try await $0.document(for: request) { $0.count } }
            #expect(try await old.value.value == 3)
            let document = try await start(fixture).value
            #expect(document.value == 3 && document.cache == .miss)
            #expect(fixture.origin.statistics.requests == 2)
            try await expect(fixture, value: 3, cache: .hit)
        }
    }

    @Test func `an invalid response is reported, and neither stored nor requested again`() async throws {
        try await open { fixture in
            let asking = ScriptedResponse.status(429, headers: ["Retry-After": "7"])
            try fixture.origin.answer(
                fixture.url("search"),
                with: asking,
                .status(404, headers: ["Cache-Control": "max-age=60"]),
                answer("{}", fresh)
            )
            for wanted in [429, 404] {
                let load = start(fixture)
                let failure = await #expect(throws: CalotypeError.self) { try await load.value }
                #expect(failure?.code == .http(status: wanted) && failure?.load?.response?.status == wanted)
                #expect(failure?.load?.response?.retryAfter == (wanted == 429 ? .seconds(7) : nil))
                #expect(failure?.load?.attempts == 1)
            }
            try await expect(fixture, cache: .miss)
        }
    }

    @Test func `two simultaneous callers share one load and one write`() async throws {
        try await open { fixture in
            let event = Event()
            try fixture.origin.answer(fixture.url("search"), with: answer("{}", fresh).after(.until(event)))
            let loads = [start(fixture), start(fixture)]
            #expect(fixture.origin.statistics.requests == 1)
            fixture.signal(event)
            for load in loads {
                let document = try await load.value
                #expect(document.value == 2)
            }
            #expect(documents.store.calls.values.count { $0 == .replace } == 1)
        }
    }

    @Test func `only stored data is used if no request may be sent`() async throws {
        try await open { fixture in
            try fixture.origin.answer(fixture.url("search"), with: answer("{}", fresh))
            let early = start(fixture, .cacheOnly)
            await #expect(throws: CalotypeError.self) { try await early.value }
            _ = try await start(fixture).value
            documents.advance(by: .seconds(1000))
            try await expect(fixture, cache: .stale, .cacheOnly)
        }
    }
}
