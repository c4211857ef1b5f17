import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// What is made of sources and is no picture, kept in the lasting store.
@Suite(.timeLimit(.minutes(1)))
struct DerivedTests {
    private let documents = DocumentFixture()
    private let made = Guarded(0)

    private func open(_ body: (PipelineFixture) async throws -> Void) async throws {
        try await PipelineFixture.open {
            documents.configure(&$0)
        } _: {
            try await body($0)
        }
    }

    /// Asks for the width of the source, in words.
    private func ask(
        _ fixture: PipelineFixture,
        _ name: String = "width 1",
        _ change: (inout ImageRequest) -> Void = { _ in }
    ) async throws -> DerivedBytes {
        var request = fixture.request()
        change(&request)
        return try await fixture.start { [made, request] pipeline in
            try await pipeline.derived(name, of: request) { source in
                made.withLock { $0 += 1 }
                return Array("\(source.info.facts.size.width)".utf8)
            }
        }.value
    }

    private var count: Int { made.withLock { $0 } }

    @Test func `what was made is taken from the store, also by another pipeline`() async throws {
        for (requests, use) in [(1, CacheUse.miss), (0, .hit)] {
            try await open { fixture in
                fixture.origin.answer { _ in
                    DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""])
                }
                let told = try await ask(fixture)
                #expect(told.bytes == Array("64".utf8))
                #expect(told.cache == use)
                #expect(told.info.bytes.bytes == PipelineFixture.photo.count)
                #expect(told.info.facts.format == .jpeg)
                #expect(told.provenance.version?.entityTag == "\"1\"")
                #expect(fixture.origin.statistics.requests == requests)
                // What the store answers is no load.
                #expect(fixture.events.values.isEmpty == (requests == 0))
            }
        }
        #expect(count == 1)
    }

    @Test func `a reload that finds no source removes what was made of the old one`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=60"]),
                .status(404)
            )
            _ = try await ask(fixture)
            #expect(documents.store.stored.count == 1)
            await #expect(throws: CalotypeError.self) { try await ask(fixture) { $0.cachePolicy = .reload } }
            fixture.settle()
            #expect(documents.store.stored.isEmpty)
        }
    }

    @Test func `what is stale is renewed by a 304, and then fresh again`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304, headers: ["Cache-Control": "max-age=60"])
            )
            _ = try await ask(fixture)
            documents.advance(by: .seconds(60))
            let renewed = try await ask(fixture)
            #expect(renewed.cache == .revalidated && renewed.bytes == Array("64".utf8))
            let again = try await ask(fixture)
            #expect(again.cache == .hit)
            #expect(fixture.origin.statistics.requests == 2)
        }
        #expect(count == 1)
    }

    @Test func `a new version of the source is loaded once, and the rendition is made again`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                DocumentFixture.photo(
                    ["Cache-Control": "max-age=60", "ETag": "\"2\""],
                    DocumentFixture.other
                )
            )
            _ = try await ask(fixture)
            documents.advance(by: .seconds(60))
            let anew = try await ask(fixture)
            #expect(anew.bytes == Array("32".utf8))
            let again = try await ask(fixture)
            #expect(again.bytes == Array("32".utf8) && again.cache == .hit)
            #expect(fixture.origin.statistics.requests == 2)
        }
        #expect(count == 2)
    }

    @Test(arguments: ["no-store", "max-age=60, private"])
    func `what its origin does not let be kept is not kept`(control: String) async throws {
        try await PipelineFixture.open {
            documents.configure(&$0)
            $0.freshness.isShared = true
        } _: { fixture in
            fixture.origin.answer { _ in DocumentFixture.photo(["Cache-Control": control]) }
            for _ in 0..<2 { _ = try await ask(fixture) }
            #expect(fixture.origin.statistics.requests == 2)
            #expect(documents.store.stored.isEmpty)
        }
    }

    @Test func `an origin in trouble is stood in for where it allows that, an absence is not`() async throws {
        try await open { fixture in
            let control = "max-age=60, stale-if-error=600"
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": control, "ETag": "\"1\""]),
                .status(503),
                .status(404)
            )
            _ = try await ask(fixture)
            documents.advance(by: .seconds(60))
            let stale = try await ask(fixture)
            #expect(stale.cache == .stale)
            await #expect(throws: CalotypeError.self) { try await ask(fixture) }
            #expect(documents.store.stored.isEmpty)
        }
    }

    @Test func `another name, another tenant and other limits find nothing`() async throws {
        try await open { fixture in
            fixture.origin.answer { _ in DocumentFixture.photo(["Cache-Control": "max-age=60"]) }
            _ = try await ask(fixture)
            let name = try await ask(fixture, "width 2")
            let tenant = try await ask(fixture) { $0.partition = "other" }
            #expect(name.cache == .miss && tenant.cache == .miss)
            await #expect(throws: CalotypeError.self) {
                try await ask(fixture) { $0.limits.sourceBytes = ByteCount(10) }
            }
            let lenient = try await ask(fixture) { $0.limits.sourceBytes = .mebibytes(1) }
            #expect(lenient.cache == .hit)
        }
    }

    @Test(arguments: [[], [0], [9, 9, 9], [1]] as [[UInt8]])
    func `an entry that is damaged or of another layout is made again`(metadata: [UInt8]) async throws {
        try await open { fixture in
            fixture.origin.answer { _ in DocumentFixture.photo(["Cache-Control": "max-age=60"]) }
            _ = try await ask(fixture)
            let key = try #require(documents.store.stored.keys.first)
            try await documents.store.replaceMetadata(metadata, for: key)
            let anew = try await ask(fixture)
            #expect(anew.cache == .miss && anew.bytes == Array("64".utf8))
            let again = try await ask(fixture)
            #expect(again.cache == .hit)
        }
    }

    @Test func `without a store, and behind a hook that changes requests, it is made each time`() async throws
    {
        try await PipelineFixture.open {
            documents.configure(&$0)
            $0.prepare = { $0 }
        } _: { fixture in
            fixture.origin.answer { _ in DocumentFixture.photo(["Cache-Control": "max-age=60"]) }
            for _ in 0..<2 { _ = try await ask(fixture) }
            #expect(documents.store.stored.isEmpty)
        }
        try await PipelineFixture.open { fixture in
            for _ in 0..<2 { _ = try await ask(fixture) }
        }
        #expect(count == 4)
    }
}
