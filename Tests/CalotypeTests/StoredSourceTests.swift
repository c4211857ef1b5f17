import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import Testing

@testable import Calotype

/// Sources and renditions that a store has from before.
@Suite(.timeLimit(.minutes(1)))
struct StoredSourceTests {
    private let gazette = Gazette()

    private func open(
        _ contents: StoredContents,
        _ body: (Studio) async throws -> Void
    ) async throws {
        try await Studio.open {
            gazette.configure(&$0)
            $0.stores = contents
        } _: {
            try await body($0)
        }
    }

    @Test func `of a source that is kept another rendition is made without a request`() async throws {
        try await open([.renditions, .sources]) { studio in
            try await studio.expectUse(.miss)
            #expect(gazette.store.stored.count == 2)
            let other = try await studio.ask(studio.request("photo.jpg", 16)).value
            #expect(
                other.size == PixelSize(width: 16, height: 12) && other.cache == .hit && other.attempts == 0
            )
            #expect(studio.origin.statistics.requests == 1)
            let data = try await studio.start { try await $0.data(for: studio.request()) }.value
            #expect(data.bytes == Studio.photo)
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `a source that is stale but unchanged is decoded from the store`() async throws {
        try await open(.sources) { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304)
            )
            try await studio.expectUse(.miss)
            gazette.advance(by: .seconds(60))
            let rendition = try await studio.ask(studio.request()).value
            #expect(rendition.cache == .revalidated && rendition.attempts == 1)
            #expect(studio.origin.statistics.bytes.bytes == Studio.photo.count)
            try await studio.expectUse(.hit)
        }
    }

    @Test func `renditions of one version are all renewed by the store's own source`() async throws {
        try await open([.renditions, .sources]) { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304, headers: ["Cache-Control": "max-age=60"])
            )
            for side in [16, 32] { _ = try await studio.ask(studio.request("photo.jpg", side)).value }
            gazette.advance(by: .seconds(60))
            for side in [16, 32] {
                let rendition = try await studio.ask(studio.request("photo.jpg", side)).value
                #expect(rendition.cache == .revalidated)
            }
            #expect(studio.origin.statistics.requests == 2)
            #expect(studio.codec.decodes.count == 2)
        }
    }

    @Test func `71: that a source is absent is kept with the sources`() async throws {
        for requests in [1, 0] {
            try await open(.sources) { studio in
                try studio.origin.answer(studio.url("photo.jpg"), with: .status(404))
                let load = studio.start { try await $0.load(studio.request()) }
                let failure = await #expect(throws: LoadFailure.self) { try await load.value }
                #expect(failure?.error.code == .http(status: 404))
                #expect(failure?.cache == (requests == 0 ? .hit : .miss))
                #expect(studio.origin.statistics.requests == requests)
            }
        }
    }

    @Test func `neither is kept where neither is asked for`() async throws {
        try await open([]) { studio in
            for _ in 0..<2 { try await studio.expectUse(.miss) }
            #expect(gazette.store.calls.values.isEmpty)
        }
    }

    @Test func `offline, another rendition is made of a kept source`() async throws {
        try await open([.renditions, .sources]) { studio in
            try await studio.expectUse(.miss)
            var request = studio.request("photo.jpg", 16)
            request.cachePolicy = .cacheOnly
            #expect(try await studio.ask(request).value.cache == .hit)
            request = studio.request("other.jpg")
            request.cachePolicy = .cacheOnly
            #expect(await code(of: studio.ask(request)) == "not_cached")
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `what other limits would have refused is not taken from the store`() async throws {
        try await open(.renditions) { studio in
            try await studio.expectUse(.miss)
            var request = studio.request()
            request.limits.sourceBytes = ByteCount(100)
            #expect(await code(of: studio.ask(request)) == "too_many_bytes")
            request.limits = ImageLimits()
            request.limits.streamedPixels = 100
            #expect(await code(of: studio.ask(request)) == "too_many_pixels")
        }
    }

    @Test func `85: an entry that is no record is a miss, and is replaced`() async throws {
        try await open(.renditions) { studio in
            try await studio.expectUse(.miss)
            let key = try #require(gazette.store.stored.keys.first)
            for metadata in [[], [9], [1, 4, 106], Array(repeating: 0xFF, count: 40)] as [[UInt8]] {
                try await gazette.store.replaceValue(
                    StoredEntry(metadata: metadata, bytes: [1, 2, 3]),
                    for: key
                )
                let rendition = try await studio.ask(studio.request()).value
                #expect(rendition.cache == .miss && rendition.size == PixelSize(width: 32, height: 24))
                try await studio.expectUse(.hit)
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
        let head = HTTPHeaders([try HTTPHeaders.Field("ETag", "W/\"x\"")])
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
        let kept = KeptPicture(picture: .rendition(rendition), version: version, freshUntil: nil)
        let entry = try #require(RenditionRecord.entry(of: kept))
        let (read, readVersion) = try RenditionRecord.read(entry)
        #expect(read.bytes == rendition.bytes && read.format == .avif && read.size == rendition.size)
        #expect(read.source == facts && read.sourceBytes == .mebibytes(3) && read.isVerbatim)
        #expect(readVersion == version)
        for count in 0..<entry.metadata.count {
            let cut = StoredEntry(metadata: Array(entry.metadata.prefix(count)), bytes: entry.bytes)
            #expect(throws: RecordReader.Damage.self) { try RenditionRecord.read(cut) }
        }
        // Of a time when originals were stored with their metadata.
        let older = StoredEntry(metadata: [2] + entry.metadata.dropFirst(), bytes: entry.bytes)
        #expect(throws: RecordReader.Damage.self) { try RenditionRecord.read(older) }
    }
}
