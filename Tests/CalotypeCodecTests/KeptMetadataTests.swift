import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct KeptMetadataTests {
    private static let artist = "A. Photographer"
    private static let place = "48 deg 51 min north"

    @Test(arguments: [OutputFormat.jpeg, .png, .webp, .avif, .heic(quality: 60), .tiff, .gif])
    func `no metadata is kept unless requested, least of all the location`(
        _ output: OutputFormat
    ) async throws {
        try await withEachCodec { codec in
            let made = try await rendition(codec, output, [])
            #expect(!made.contains(Self.artist) && !made.contains(Self.place) && !made.contains("thumbnail"))
        }
    }

    @Test(arguments: [OutputFormat.jpeg, .png, .webp, .avif, .heic(quality: 60)])
    func `the copyright is kept alone`(_ output: OutputFormat) async throws {
        try await withEachCodec { codec in
            let made = try await rendition(codec, output, .copyright)
            #expect(made.contains(Self.artist) && made.contains("(c) Somebody"))
            #expect(!made.contains(Self.place) && !made.contains("thumbnail"))
        }
    }

    @Test(arguments: [OutputFormat.jpeg, .png, .webp, .avif])
    func `all metadata is kept but the orientation and the thumbnail`(_ output: OutputFormat) async throws {
        try await withEachCodec { codec in
            let made = try await rendition(codec, output, .all)
            #expect(made.contains(Self.artist) && made.contains(Self.place))
            #expect(!made.contains("thumbnail"))
            #expect(made.contains("<xmp/>"))
            let facts = try await codec.facts(of: .bytes(made.bytes))
            #expect(facts.orientation == 1)
            #expect(facts.size == PixelSize(width: 20, height: 30))
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp], [OutputFormat.jpeg, .png, .webp])
    func `a copyright in any of the common formats is kept in any other`(
        _ source: ImageFormat,
        _ output: OutputFormat
    ) async throws {
        try await withEachCodec { codec in
            var blocks = MetadataBlocks()
            blocks.exif = Self.exif(orientation: 1)
            let plain = try await codec.encode(fourCorners(60, 40), as: source)
            let bytes = MetadataWriter.adding(blocks, to: plain, source)
            let transform = Transform.fit(30, 30).edited(Self.edits(.copyright))
            let made = try await codec.renditions(of: .bytes(bytes), as: [RenditionSpec(transform, output)])
            #expect(Written(bytes: made[0].bytes).contains(Self.artist))
            #expect(!Written(bytes: made[0].bytes).contains(Self.place))
            #expect(try await codec.bitmap(of: .bytes(made[0].bytes)).corners == uprightCorners)
        }
    }

    @Test(arguments: [OutputFormat.jpeg, .png, .webp, .avif, .heic(quality: 90), .tiff, .gif])
    func `a profile is kept with the samples that it describes`(_ output: OutputFormat) async throws {
        try await withImageCodec { codec in
            var blocks = MetadataBlocks()
            blocks.profile = HandMade.profile(HandMade.adobeRGB)
            let flat = Bitmap(
                size: PixelSize(width: 16, height: 16),
                rgba: (0..<256).flatMap { _ in [200, 100, 50, 255] as [UInt8] }
            )
            let bytes = MetadataWriter.adding(blocks, to: try await codec.encode(flat, as: .png), .png)
            let specs = [KeptMetadata.profile, []].map {
                RenditionSpec(Transform.fit(8, 8).edited(Self.edits($0)), output)
            }
            let made = try await codec.renditions(of: .bytes(bytes), as: specs)
            // A GIF has no profile, so its colours are converted.
            #expect(try await codec.facts(of: .bytes(made[0].bytes)).profile != nil || output == .gif)
            #expect(try await codec.facts(of: .bytes(made[1].bytes)).profile == nil)
            // Both look the same, because the one's profile is applied when it is decoded.
            let pixels = [
                try await codec.bitmap(of: .bytes(made[0].bytes)).pixel(4, 4),
                try await codec.bitmap(of: .bytes(made[1].bytes)).pixel(4, 4),
            ]
            #expect(zip(pixels[0], pixels[1]).allSatisfy { abs(Int($0) - Int($1)) <= 6 }, "\(pixels)")
            #expect(abs(Int(pixels[1][0]) - 200) > 20, "the profile changes nothing: \(pixels)")
            let bitmaps = [
                try await codec.bitmap(of: .bytes(bytes), specs[0].transform),
                try await codec.bitmap(of: .bytes(bytes), specs[1].transform),
            ]
            #expect(bitmaps[0] == bitmaps[1], "pixels have no profile, so they are in sRGB")
        }
    }

    @Test func `invalid metadata is left out`() {
        #expect(EXIFBlock.copyright(of: []) == [])
        #expect(EXIFBlock.copyright(of: Array("MM\0*\0\0\0\u{08}".utf8)) == [])
        #expect(EXIFBlock.upright(Array("no block".utf8)) == [])
        var random = SplitMix64(seed: 11)
        for _ in 0..<2000 {
            var block = Self.exif(orientation: 6)
            for _ in 0..<3 {
                block[Int.random(in: 0..<block.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let cut = Array(block.prefix(.random(in: 0...block.count, using: &random)))
            #expect(EXIFBlock.upright(cut).count <= block.count)
            #expect(EXIFBlock.copyright(of: cut).count < 10_000)
        }
    }

    private struct Written {
        var bytes: [UInt8]

        func contains(_ text: String) -> Bool {
            let text = Array(text.utf8)
            guard bytes.count >= text.count else { return false }
            return (0...bytes.count - text.count).contains { bytes[$0...].starts(with: text) }
        }
    }

    /// What a JPEG with a full EXIF block, of orientation 6, becomes.
    private func rendition(
        _ codec: ImageCodec,
        _ output: OutputFormat,
        _ kept: KeptMetadata
    ) async throws -> Written {
        var blocks = MetadataBlocks()
        blocks.exif = Self.exif(orientation: 6)
        blocks.xmp = Array("<xmp/>".utf8)
        let plain = try await codec.encode(fourCorners(60, 40), as: .jpeg)
        let source = MetadataWriter.adding(blocks, to: plain, .jpeg)
        let transform = Transform.fit(30, 30).edited(Self.edits(kept))
        let made = try await codec.renditions(of: .bytes(source), as: [RenditionSpec(transform, output)])
        return Written(bytes: made[0].bytes)
    }

    private static func edits(_ kept: KeptMetadata) -> PictureEdits {
        var edits = PictureEdits()
        edits.kept = kept
        return edits
    }

    /// A big-endian block with orientation, artist, copyright, a place, and a second directory with a thumbnail.
    private static func exif(orientation: UInt8) -> [UInt8] {
        let texts = [(0x010E, place), (0x013B, artist), (0x8298, "(c) Somebody")]
        let start = 8 + 2 + 4 * 12 + 4
        var entries: [[UInt8]] = [big(0x0112, 2) + big(3, 2) + big(1, 4) + [0, orientation, 0, 0]]
        var data: [UInt8] = []
        for (tag, text) in texts {
            entries.append(big(tag, 2) + big(2, 2) + big(text.utf8.count + 1, 4) + big(start + data.count, 4))
            data += Array(text.utf8) + [0]
            if data.count % 2 == 1 { data.append(0) }
        }
        entries.sort { $0.lexicographicallyPrecedes($1) }
        let second = start + data.count
        let thumbnail = Array("thumbnail".utf8)
        let directory =
            big(2, 2) + big(0x0201, 2) + big(4, 2) + big(1, 4) + big(second + 2 + 24 + 4, 4)
            + big(0x0202, 2) + big(4, 2) + big(1, 4) + big(thumbnail.count, 4) + big(0, 4)
        return Array("MM\0*".utf8) + big(8, 4) + big(4, 2) + entries.flatMap(\.self) + big(second, 4) + data
            + directory + thumbnail
    }

    private static func big(_ number: Int, _ length: Int) -> [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
