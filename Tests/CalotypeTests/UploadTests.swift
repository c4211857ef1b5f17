import CalotypeCore
import CalotypeSamplePictures
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Pictures that are sent to the pipeline in chunks.
@Suite(.timeLimit(.minutes(1)))
struct UploadTests {
    struct Hangup: Error {}

    /// Bytes in chunks, which notes how many were requested.
    struct Chunks: AsyncSequence, Sendable {
        let bytes: [UInt8]
        var size = 500
        /// The chunks after which the sender fails, or waits for `gate`.
        var failsAfter = Int.max
        var waitsAfter = Int.max
        let gate = Event()
        let requested = Guarded(0)

        struct Iterator: AsyncIteratorProtocol {
            let chunks: Chunks
            var next = 0

            mutating func next() async throws -> ArraySlice<UInt8>? {
                let number = chunks.requested.withLock { requested in
                    requested += 1
                    return requested
                }
                if number > chunks.failsAfter { throw Hangup() }
                if number > chunks.waitsAfter { try await chunks.gate.wait() }
                guard next < chunks.bytes.count else { return nil }
                defer { next += chunks.size }
                return chunks.bytes[next..<Swift.min(next + chunks.size, chunks.bytes.count)]
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

        var count: Int { requested.withLock { $0 } }
    }

    /// Drawn once for all tests.
    private static let drawn = Task { try await ProgressivePhoto.encoded(640, 480) }
    private let photo: [UInt8]

    init() async throws {
        photo = try await Self.drawn.value
        #expect(photo.count > 20_000)
    }

    private static func open(
        spoolsAbove threshold: ByteCount? = nil,
        _ configure: (inout PipelineConfiguration) -> Void = { _ in },
        _ body: (PipelineFixture) async throws -> Void
    ) async throws {
        try await PipelineFixture.open {
            if let threshold { $0.spoolThreshold = threshold }
            configure(&$0)
        } _: {
            try await body($0)
        }
    }

    /// Starts a load of the upload's picture in three sizes.
    private static func sizes(
        _ fixture: PipelineFixture,
        _ chunks: Chunks,
        length: ByteCount? = nil,
        limits: ImageLimits = ImageLimits()
    ) -> Task<[PixelSize], any Error> {
        let specs = [8, 16, 32].map { RenditionSpec(.fit($0, $0), .jpeg) }
        return fixture.start { pipeline in
            try await pipeline.withUpload(chunks, length: length, limits: limits) { upload in
                try await pipeline.load(ImageRequest(upload.source), as: specs).map { try $0.get().size }
            }
        }
    }

    @Test(arguments: [nil, 1000, 0] as [Int?], [false, true])
    func `an upload is a source, in memory or in a file, and one decode makes all sizes`(
        threshold: Int?,
        isAnnounced: Bool
    ) async throws {
        try await Self.open(spoolsAbove: threshold.map { ByteCount($0) }) { fixture in
            let chunks = Chunks(bytes: photo)
            let length = isAnnounced ? ByteCount(photo.count) : nil
            let sizes = try await Self.sizes(fixture, chunks, length: length).value
            #expect(sizes.map { max($0.width, $0.height) } == [8, 16, 32])
            #expect(fixture.codec.decodes.values.map(\.count) == [3])
            #expect(chunks.count == (photo.count + 499) / 500 + 1)
            #expect(fixture.origin.statistics.requests == 0)
        }
    }

    @Test(arguments: [nil, 0] as [Int?])
    func `its facts are known, and its bytes are those that were sent`(threshold: Int?) async throws {
        try await Self.open(spoolsAbove: threshold.map { ByteCount($0) }) { fixture in
            let data = try await fixture.start { [photo] pipeline in
                try await pipeline.withUpload(Chunks(bytes: photo)) { upload in
                    #expect(upload.info.bytes.bytes == photo.count && upload.info.facts.format == .jpeg)
                    return try await pipeline.data(for: ImageRequest(upload.source))
                }
            }.value
            #expect(data.bytes == photo)
        }
    }

    @Test func `what the limits forbid is refused before the rest arrives`() async throws {
        try await Self.open { fixture in
            var small = ImageLimits()
            small.sourceBytes = ByteCount(2_000)
            let long = Chunks(bytes: photo)
            #expect(await code(of: Self.sizes(fixture, long, limits: small)) == "too_many_bytes")
            #expect(long.count == 5)
            let announced = Chunks(bytes: photo)
            let length = ByteCount(photo.count)
            #expect(
                await code(of: Self.sizes(fixture, announced, length: length, limits: small))
                    == "too_many_bytes"
            )
            #expect(announced.count == 0)
            var few = ImageLimits()
            few.pixels = 10
            few.streamedPixels = 10
            let wide = Chunks(bytes: photo)
            #expect(await code(of: Self.sizes(fixture, wide, limits: few)) == "too_many_pixels")
            #expect(wide.count < photo.count / 500)
            let page = Chunks(bytes: Array(repeating: UInt8(ascii: "<"), count: 100_000))
            #expect(await code(of: Self.sizes(fixture, page)) == "unsupported_format")
            #expect(page.count < 20)
            #expect(await code(of: Self.sizes(fixture, Chunks(bytes: []))) == "unsupported_format")
        }
    }

    @Test(arguments: [nil, 0] as [Int?])
    func `a sender that fails, hangs up early or is left leaves nothing behind`(
        threshold: Int?
    )
        async throws
    {
        try await Self.open(spoolsAbove: threshold.map { ByteCount($0) }) { fixture in
            var failing = Chunks(bytes: photo)
            failing.failsAfter = 10
            let failed = Self.sizes(fixture, failing)
            await #expect(throws: Hangup.self) { try await failed.value }
            let short = Chunks(bytes: Array(photo.prefix(3_000)))
            let length = ByteCount(photo.count)
            #expect(await code(of: Self.sizes(fixture, short, length: length)) == "truncated_body")
            let cut = Chunks(bytes: Array(photo.prefix(photo.count / 2)))
            #expect(await code(of: Self.sizes(fixture, cut)) == "truncated_image")
            var waiting = Chunks(bytes: photo)
            waiting.waitsAfter = 10
            let left = Self.sizes(fixture, waiting)
            #expect(fixture.pipeline.snapshot.encodedBytes.bytes > 0)
            fixture.cancel(left)
            #expect(await code(of: left) == "cancelled")
            #expect(fixture.pipeline.snapshot == PipelineSnapshot())
        }
    }

    @Test(arguments: [nil, 0] as [Int?])
    func `after its scope the source is refused, and a load that has begun is right`(
        threshold: Int?
    )
        async throws
    {
        try await PipelineFixture.open(holding: [.begin]) {
            if let threshold { $0.spoolThreshold = ByteCount(threshold) }
        } _: { fixture in
            let (sources, mayEnd) = (Recorder<ImageSource>(), Event())
            let upload = fixture.start { [photo] pipeline in
                try await pipeline.withUpload(Chunks(bytes: photo)) { upload in
                    sources.record(upload.source)
                    try await mayEnd.wait()
                }
            }
            let source = try #require(sources.values.first)
            let begun = fixture.ask(ImageRequest(source, .fit(32, 32)))
            fixture.signal(mayEnd)
            #expect(await code(of: upload) == nil)
            fixture.signal(fixture.codec.mayBegin)
            let made = try await begun.value
            #expect(made.size.width == 32)
            #expect(await code(of: fixture.ask(ImageRequest(source, .fit(8, 8)))) == "invalid_request")
        }
    }

    @Test func `senders that stall take no memory from downloads, and none waits for them`() async throws {
        try await Self.open {
            $0.encodedBytes = .mebibytes(1)
            $0.connections = 4
        } _: { fixture in
            // Each would start with 64 KiB, which 16 of them would have to themselves.
            let stalled = (0..<40).map { _ in
                var chunks = Chunks(bytes: photo)
                chunks.waitsAfter = 5
                return (chunks, Self.sizes(fixture, chunks))
            }
            #expect(stalled.allSatisfy { $0.0.count == 6 })
            #expect(fixture.pipeline.snapshot.encodedBytes <= .kibibytes(256))
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            let sizes = try await Self.sizes(fixture, Chunks(bytes: photo)).value
            #expect(sizes.count == 3)
            for (chunks, load) in stalled.dropFirst() {
                fixture.signal(chunks.gate)
                #expect(await code(of: load) == nil)
            }
            fixture.cancel(stalled[0].1)
            #expect(await code(of: stalled[0].1) == "cancelled")
        }
    }

    @Test func `equal bytes are made once, and others never taken for them`() async throws {
        try await Self.open { fixture in
            let request = { @Sendable (upload: Upload) in ImageRequest(upload.source, .fit(32, 32)) }
            let pictures = [photo, photo, PipelineFixture.photo, photo]
            var cached: [CacheUse] = []
            for bytes in pictures {
                let made = try await fixture.start { pipeline in
                    try await pipeline.withUpload(Chunks(bytes: bytes)) { upload in
                        try await pipeline.rendition(for: request(upload))
                    }
                }.value
                cached.append(made.cache)
                #expect(made.sourceBytes.bytes == bytes.count)
            }
            #expect(fixture.codec.decodes.values.count == 2)
            #expect(cached == [.miss, .hit, .miss, .hit])
        }
    }
}
