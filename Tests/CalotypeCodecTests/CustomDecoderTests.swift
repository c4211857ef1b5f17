import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCodec

/// Decoders from outside, for formats that the codec does not read itself.
@Suite(.timeLimit(.minutes(1)))
struct CustomDecoderTests {
    /// A decoder of farbfeld (https://tools.suckless.org/farbfeld/): a size, and 16 bits for each sample.
    private struct Farbfeld: ImageDecoding {
        var identifier = "org.example.farbfeld/1"
        var signatures = [Array("farbfeld".utf8)]
        var hasAlpha = true
        var orientation = 1
        /// What becomes of the pixels.
        var change: @Sendable (Bitmap) throws -> Bitmap = { $0 }

        func facts(ofPrefix prefix: [UInt8]) throws -> ImageFacts? {
            guard prefix.count >= 16 else { return nil }
            var facts = ImageFacts(format: .custom, storedSize: Self.size(prefix))
            facts.hasAlpha = hasAlpha
            facts.orientation = orientation
            return facts
        }

        func bitmap(of bytes: [UInt8]) throws -> Bitmap {
            let size = Self.size(bytes)
            guard bytes.count == 16 + size.pixelCount * 8 else { throw Unwell() }
            let rgba = stride(from: 16, to: bytes.count, by: 2).map { bytes[$0] }
            return try change(Bitmap(size: size, rgba: rgba))
        }

        private static func size(_ bytes: [UInt8]) -> PixelSize {
            let sides = [8, 12].map { start in bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
            return PixelSize(width: sides[0], height: sides[1])
        }

        static func file(_ bitmap: Bitmap) -> [UInt8] {
            Array("farbfeld".utf8) + [UInt8](big: bitmap.size.width, 4) + [UInt8](big: bitmap.size.height, 4)
                + bitmap.rgba.flatMap { [$0, $0] }
        }
    }

    private struct Unwell: Error, CustomStringConvertible {
        var description: String { "no colour" }
    }

    private func configuration(_ decoders: any ImageDecoding...) -> ImageCodecConfiguration {
        var configuration = ImageCodecConfiguration()
        configuration.decoders = decoders
        return configuration
    }

    /// The error of the first result of `file`.
    private func error(
        _ decoder: any ImageDecoding,
        _ file: [UInt8] = Farbfeld.file(fourCorners(8, 6)),
        limits: ImageLimits = ImageLimits()
    ) async throws -> CalotypeError? {
        try await withImageCodec(configuration(decoder)) { codec in
            do {
                _ = try await codec.renditions(
                    of: .bytes(file),
                    as: [RenditionSpec(.none, .png)],
                    limits: limits
                )
                return nil
            } catch let error as CalotypeError {
                return error
            }
        }
    }

    @Test func `a decoder from outside makes all kinds of results, in each way`() async throws {
        let file = Farbfeld.file(fourCorners(97, 61))
        var blurred = Transform.none
        blurred.edits.blur = 1
        let specs: [PictureSpec] = [
            .encoded(RenditionSpec(.fit(48, 48), .jpeg(quality: 90))),
            .encoded(RenditionSpec(.none, .original(quality: 80))),
            .encoded(RenditionSpec(blurred, .png)),
            .encoded(RenditionSpec(.fit(48, 48), .avif(quality: 60))),
            .pixels(.none),
        ]
        try await withEachCodec(configuration(Farbfeld())) { codec in
            let pictures = try await codec.pictures(of: .bytes(file)) { specs }.map { try $0.get() }
            for picture in pictures {
                #expect(picture.source.format == .custom)
                #expect(picture.source.customDecoder == "org.example.farbfeld/1")
                #expect(picture.source.size == PixelSize(width: 97, height: 61))
                #expect(!picture.isVerbatim)
                guard case .encoded(let bytes, let format) = picture.content else { continue }
                let facts = try codec.probe(bytes, isComplete: true)
                #expect(facts?.format == format)
                let bitmap = try await codec.bitmap(of: .bytes(bytes))
                #expect(bitmap.corners == uprightCorners)
            }
            #expect(pictures[1].content.format == .png)
            #expect(pictures[4].bitmap?.rgba == fourCorners(97, 61).rgba)
        }
    }

    @Test func `its orientation and its alpha are those of its header`() async throws {
        let file = Farbfeld.file(fourCorners(40, 20, alpha: 128))
        try await withEachCodec(configuration(Farbfeld(orientation: 6))) { codec in
            let bitmap = try await codec.bitmap(of: .bytes(file))
            #expect(bitmap.size == PixelSize(width: 20, height: 40))
            #expect(bitmap.pixel(0, 0)[3] == 128)
        }
        try await withImageCodec(configuration(Farbfeld(hasAlpha: false))) { codec in
            let bitmap = try await codec.bitmap(of: .bytes(file))
            #expect(bitmap.pixel(0, 0)[3] == 255)
        }
    }

    @Test func `its header is read from the first bytes, and from files`() async throws {
        let file = Farbfeld.file(noise(200, 100))
        try await withImageCodec(configuration(Farbfeld())) { codec in
            // What is neither known nor text is only decided after 64 bytes.
            let undecided = try codec.probe(Array(file.prefix(20)), isComplete: false)
            #expect(undecided == nil)
            let facts = try #require(try codec.probe(Array(file.prefix(64)), isComplete: false))
            #expect(facts.size == PixelSize(width: 200, height: 100))
            try await withTemporaryFile(file) { path in
                let ofFile = try await codec.facts(of: .file(path: path))
                #expect(ofFile == facts)
                let bitmap = try await codec.bitmap(of: .file(path: path))
                #expect(bitmap.rgba == noise(200, 100).rgba)
            }
            let short = await code { _ = try codec.probe(Array(file.prefix(12)), isComplete: true) }
            #expect(short == .truncatedImage)
        }
        #expect(try await error(Farbfeld(signatures: [[0xFF, 0xFE]]))?.code == .unsupportedFormat)
    }

    @Test func `what it throws and what it returns wrongly fails the source`() async throws {
        let own = CalotypeError(.truncatedImage, "too short", stage: .decode)
        let cases: [(String, @Sendable (Bitmap) throws -> Bitmap, ErrorCode)] = [
            ("failed: no colour", { _ in throw Unwell() }, .corruptImage),
            ("failed: CancellationError()", { _ in throw CancellationError() }, .corruptImage),
            ("too short", { _ in throw own }, .truncatedImage),
            (
                "returned 2x1 pixels, not 8x6",
                { _ in Bitmap(size: .init(width: 2, height: 1), rgba: Array(repeating: 0, count: 8)) },
                .corruptImage
            ),
            (
                "returned 3 bytes for 8x6 pixels",
                { bitmap in
                    var bitmap = bitmap
                    bitmap.rgba = [1, 2, 3]
                    return bitmap
                }, .corruptImage
            ),
        ]
        for (message, change, code) in cases {
            let error = try await error(Farbfeld(change: change))
            #expect(error?.code == code)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `nothing is decoded that the limits do not allow`() async throws {
        let decodes = Recorder<PixelSize>()
        let decoder = Farbfeld { bitmap in
            decodes.record(bitmap.size)
            return bitmap
        }
        var limits = ImageLimits()
        limits.pixels = 47
        #expect(try await error(decoder, limits: limits)?.code == .tooManyPixels)
        let endless = Array("farbfeld".utf8) + Array(repeating: 0xFF, count: 64)
        #expect(try await error(decoder, endless)?.code == .corruptImage)
        let nothing = Array("farbfeld".utf8) + Array(repeating: 0, count: 64)
        #expect(try await error(decoder, nothing)?.code == .corruptImage)
        #expect(decodes.count == 0)
    }

    @Test
    func `a decoder that looks whether it is cancelled ends with its caller, and its memory is admitted`()
        async throws
    {
        let begun = Event()
        let decoder = Farbfeld { bitmap in
            begun.signal()
            while !Task.isCancelled {}
            throw CancellationError()
        }
        let file = Farbfeld.file(fourCorners(100, 100))
        try await withImageCodec(configuration(decoder)) { codec in
            let task = Task { try await codec.bitmap(of: .bytes(file)) }
            try await begun.wait()
            #expect(codec.memoryUse.used >= 80_000)
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(codec.memoryUse.used == 0)
        }
    }

    @Test func `formats that the codec reads are not given to it`() async throws {
        let greedy = Farbfeld(signatures: [[0x89], [0xFF], Array("BM".utf8), Array("%PDF".utf8)]) { _ in
            throw Unwell()
        }
        try await withImageCodec(configuration(greedy)) { codec in
            let file = try await codec.encode(fourCorners(8, 6), as: .png)
            let facts = try await codec.facts(of: .bytes(file))
            #expect(facts.format == .png)
            let paper = Array("%PDF-1.4 ".utf8) + Array(repeating: 1, count: 100)
            let other = try await codec.facts(of: .bytes(paper))
            #expect(other.format == .custom)
        }
    }
}

extension CodedPicture.Content {
    fileprivate var format: ImageFormat? {
        guard case .encoded(_, let format) = self else { return nil }
        return format
    }
}
