import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import Testing

@testable import Calotype

/// Sources and renditions that a store has from before.
@Suite(.timeLimit(.minutes(1)))
struct StoredSourceTests {
    private let documents = DocumentFixture()

    private func open(
        _ contents: StoredContents,
        _ body: (PipelineFixture) async throws -> Void
    ) async throws {
        try await PipelineFixture.open {
            documents.configure(&$0)
            $0.stores = contents
        } _: {
            try await body($0)
        }
    }

    @Test func `of a source that is kept another rendition is made without a request`() async throws {
        try await open([.renditions, .sources]) { fixture in
            try await fixture.expectUse(.miss)
            #expect(documents.store.stored.count == 2)
            let other = try await fixture.ask(fixture.request("photo.jpg", 16)).value
            #expect(
                other.size == PixelSize(width: 16, height: 12) && other.cache == .hit && other.attempts == 0
            )
            #expect(fixture.origin.statistics.requests == 1)
            let data = try await fixture.start { try await $0.data(for: fixture.request()) }.value
            #expect(data.bytes == PipelineFixture.photo)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a source that is stale but unchanged is decoded from the store`() async throws {
        try await open(.sources) { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304)
            )
            try await fixture.expectUse(.miss)
            documents.advance(by: .seconds(60))
            let rendition = try await fixture.ask(fixture.request()).value
            #expect(rendition.cache == .revalidated && rendition.attempts == 1)
            #expect(fixture.origin.statistics.bytes.bytes == PipelineFixture.photo.count)
            try await fixture.expectUse(.hit)
        }
    }

    @Test func `renditions of one version are all renewed by the store's own source`() async throws {
        try await open([.renditions, .sources]) { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304, headers: ["Cache-Control": "max-age=60"])
            )
            for side in [16, 32] { _ = try await fixture.ask(fixture.request("photo.jpg", side)).value }
            documents.advance(by: .seconds(60))
            for side in [16, 32] {
                let rendition = try await fixture.ask(fixture.request("photo.jpg", side)).value
                #expect(rendition.cache == .revalidated)
            }
            #expect(fixture.origin.statistics.requests == 2)
            #expect(fixture.codec.decodes.count == 2)
        }
    }

    @Test func `that a source is absent is kept with the sources`() async throws {
        for requests in [1, 0] {
            try await open(.sources) { fixture in
                try fixture.origin.answer(fixture.url("photo.jpg"), with: .status(404))
                let load = fixture.start { try await $0.load(fixture.request()) }
                let failure = await #expect(throws: CalotypeError.self) { try await load.value }
                #expect(failure?.code == .http(status: 404))
                #expect(failure?.load?.cache == (requests == 0 ? .hit : .miss))
                #expect(fixture.origin.statistics.requests == requests)
            }
        }
    }

    @Test func `neither is kept unless requested`() async throws {
        try await open([]) { fixture in
            for _ in 0..<2 { try await fixture.expectUse(.miss) }
            #expect(documents.store.calls.values.isEmpty)
        }
    }

    @Test func `offline, another rendition is made of a kept source`() async throws {
        try await open([.renditions, .sources]) { fixture in
            try await fixture.expectUse(.miss)
            var request = fixture.request("photo.jpg", 16)
            request.cachePolicy = .cacheOnly
            #expect(try await fixture.ask(request).value.cache == .hit)
            request = fixture.request("other.jpg")
            request.cachePolicy = .cacheOnly
            #expect(await code(of: fixture.ask(request)) == "not_cached")
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `what other limits would have refused is not taken from the store`() async throws {
        try await open(.renditions) { fixture in
            try await fixture.expectUse(.miss)
            var request = fixture.request()
            request.limits.sourceBytes = ByteCount(100)
            #expect(await code(of: fixture.ask(request)) == "too_many_bytes")
            request.limits = ImageLimits()
            request.limits.streamedPixels = 100
            #expect(await code(of: fixture.ask(request)) == "too_many_pixels")
        }
    }

    @Test func `an entry that is no record is a miss, and is replaced`() async throws {
        try await open(.renditions) { fixture in
            try await fixture.expectUse(.miss)
            let key = try #require(documents.store.stored.keys.first)
            for metadata in [[], [9], [1, 4, 106], Array(repeating: 0xFF, count: 40)] as [[UInt8]] {
                try await documents.store.replaceValue(
                    StoredEntry(metadata: metadata, bytes: [1, 2, 3]),
                    for: key
                )
                let rendition = try await fixture.ask(fixture.request()).value
                #expect(rendition.cache == .miss && rendition.size == PixelSize(width: 32, height: 24))
                try await fixture.expectUse(.hit)
            }
        }
    }

    @Test func `a record says all about its rendition again, and no cut one is read`() throws {
        let facts = ImageFacts(
            format: .heic,
            storedSize: PixelSize(width: 4000, height: 3000),
            orientation: 6,
            frames: nil,
            needsWholePicture: true,
            hasAlpha: true,
            bitDepth: 10,
            profile: "Display P3 – ä"
        )
        let rendition = Rendition(
            bytes: [1, 2, 3],
            format: .avif,
            size: PixelSize(width: 30, height: 40),
            source: facts,
            sourceBytes: .mebibytes(3),
            isVerbatim: true
        )
        let head = HTTPHeaders([try HeaderField(checking: "ETag", "W/\"x\"")])
        let response = StoredResponse(
            status: 200,
            headers: head,
            request: HTTPHeaders(),
            requestTime: WallTime(secondsSince1970: 1),
            responseTime: WallTime(secondsSince1970: 2)
        )
        let version = SourceVersion(
            response: response,
            url: "http://x.test/",
            isDetour: true,
            isKeepable: true
        )
        let provenance = Provenance(version, freshUntil: nil, from: .own)
        let entry = try #require(RenditionRecord.entry(of: Picture(.rendition(rendition), provenance)))
        let (read, readVersion) = try RenditionRecord.read(entry)
        #expect(read.bytes == rendition.bytes && read.format == .avif && read.size == rendition.size)
        #expect(read.source == facts && read.sourceBytes == .mebibytes(3) && read.isVerbatim)
        #expect(readVersion == version)
        for count in 0..<entry.metadata.count {
            let cut = StoredEntry(metadata: Array(entry.metadata.prefix(count)), bytes: entry.bytes)
            #expect(throws: SystemError.notARecord) { try RenditionRecord.read(cut) }
        }
        // Of a time when originals were stored with their metadata.
        let older = StoredEntry(metadata: [2] + entry.metadata.dropFirst(), bytes: entry.bytes)
        #expect(throws: SystemError.notARecord) { try RenditionRecord.read(older) }
    }
}
