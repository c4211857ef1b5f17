import CalotypeCore
import Testing

@testable import CalotypeCodec

/// Formats that our own decoders read: PNM, BMP, TGA, PSD and ICO.
@Suite(.timeLimit(.minutes(1)))
struct SimpleFormatTests {
    typealias Colour = [UInt8]
    static let red: Colour = [255, 0, 0, 255]
    static let green: Colour = [0, 255, 0, 255]
    static let blue: Colour = [0, 0, 255, 255]
    static let white: Colour = [255, 255, 255, 255]
    static let black: Colour = [0, 0, 0, 255]
    static let clear: Colour = [0, 0, 0, 0]

    /// Decodes `file` in each way, and compares its pixels, row by row.
    func check(
        _ file: [UInt8],
        _ rows: [[Colour]],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withEachCodec { codec in
            let bitmap = try await codec.bitmap(of: .bytes(file), .none)
            #expect(
                bitmap.size == PixelSize(width: rows[0].count, height: rows.count),
                sourceLocation: sourceLocation
            )
            for (row, wanted) in rows.enumerated() {
                let start = row * bitmap.rowBytes
                for (x, colour) in wanted.enumerated() {
                    let found = Array(bitmap.rgba[start + 4 * x..<start + 4 * x + 4])
                    // The colour of a transparent pixel does not count.
                    let isSame = found == colour || found[3] == 0 && colour[3] == 0
                    #expect(isSame, "\(found) at \(x), \(row), not \(colour)", sourceLocation: sourceLocation)
                }
            }
        }
    }

    func code(_ file: [UInt8]) async throws -> ErrorCode? {
        try await withImageCodec { codec in
            await CalotypeCodecTests.code { _ = try await codec.bitmap(of: .bytes(file), .none) }
        }
    }

    // MARK: PNM

    @Test(
        arguments: [
            (Array("P1\n# two\n2 2\n10 01".utf8), [[black, white], [white, black]]),
            (Array("P2 2 1 4\n0 4\n".utf8), [[black, white]]),
            (Array("P3\n3 1\n15\n15 0 0  0 15 0  0 0 15\n".utf8), [[red, green, blue]]),
            (
                Array("P4 10 1\n".utf8) + [0b1000_0000, 0b0100_0000],
                [[black] + Array(repeating: white, count: 8) + [black]]
            ),
            (Array("P5 2 1 255\n".utf8) + [0, 255], [[black, white]]),
            (Array("P5 2 1 65535\n".utf8) + [0, 0, 255, 255], [[black, white]]),
            (Array("P6 2 1 255\n".utf8) + [255, 0, 0, 0, 0, 255], [[red, blue]]),
        ] as [([UInt8], [[[UInt8]]])]
    )
    func `a Netpbm image is read`(_ file: [UInt8], _ rows: [[[UInt8]]]) async throws {
        try await check(file, rows)
        #expect(try ImageProbe.facts(of: .bytes(file)).format == .pnm)
    }

    @Test func `a Netpbm image that is cut off is not taken for a whole one`() async throws {
        #expect(try await code(Array("P6 2 2 255\n".utf8) + [1, 2, 3]) == .truncatedImage)
        #expect(try await code(Array("P3 2 1 255\n255 0 0 12".utf8)) == .truncatedImage)
        #expect(try await code(Array("P3 2 1 255\n255 0 0 12 1".utf8)) == .truncatedImage)
        #expect(try await code(Array("P2 2 1 255\n1 x".utf8)) == .corruptImage)
        #expect(try await code(Array("P5 0 1 255\n".utf8)) == .corruptImage)
        #expect(try await code(Array("P5 2 1 70000\n".utf8) + [0, 0, 0, 0]) == .corruptImage)
    }

    // MARK: BMP

    private static func little(_ value: Int, _ count: Int) -> [UInt8] { [UInt8](little: value, count) }

    /// A header of 40 bytes with what follows it, or another one of `length` bytes.
    private static func bmp(
        _ width: Int,
        _ height: Int,
        bits: Int,
        compression: Int = 0,
        length: Int = 40,
        behind: [UInt8] = [],
        _ pixels: [UInt8]
    ) -> [UInt8] {
        let header =
            little(length, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(bits, 2)
            + little(compression, 4) + little(pixels.count, 4) + [UInt8](repeating: 0, count: 16)
        let start = 14 + header.count + behind.count
        return Array("BM".utf8) + little(start + pixels.count, 4) + [0, 0, 0, 0] + little(start, 4) + header
            + behind + pixels
    }

    private static let palette: [UInt8] = [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0]

    @Test func `bitmaps of all depths are read`() async throws {
        // The last row comes first, and rows are filled up to four bytes.
        try await check(
            Self.bmp(1, 2, bits: 24, [255, 0, 0, 0, 0, 0, 255, 0]),
            [[Self.red], [Self.blue]]
        )
        try await check(Self.bmp(1, -2, bits: 24, [255, 0, 0, 0, 0, 0, 255, 0]), [[Self.blue], [Self.red]])
        let colours = Self.palette + [UInt8](repeating: 0, count: 4 * 252)
        try await check(
            Self.bmp(4, 1, bits: 8, behind: colours, [0, 1, 2, 3]),
            [[Self.red, Self.green, Self.blue, Self.white]]
        )
        try await check(
            Self.bmp(
                3,
                1,
                bits: 4,
                behind: Self.palette + [UInt8](repeating: 0, count: 48),
                [0x01, 0x20, 0, 0]
            ),
            [[Self.red, Self.green, Self.blue]]
        )
        try await check(
            Self.bmp(3, 1, bits: 1, behind: Array(Self.palette.prefix(8)), [0b0100_0000, 0, 0, 0]),
            [[Self.red, Self.green, Self.red]]
        )
        try await check(
            Self.bmp(2, 1, bits: 16, [0x00, 0x7C, 0xE0, 0x03]),
            [[Self.red, Self.green]]
        )
        let masks = Self.little(0xF800, 4) + Self.little(0x7E0, 4) + Self.little(0x1F, 4)
        try await check(
            Self.bmp(2, 1, bits: 16, compression: 3, behind: masks, [0x00, 0xF8, 0xE0, 0x07]),
            [[Self.red, Self.green]]
        )
        // Without a mask for it, the fourth byte is no alpha.
        try await check(Self.bmp(1, 1, bits: 32, [0, 0, 255, 0]), [[Self.red]])
        let withAlpha = [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000].flatMap { Self.little($0, 4) }
        try await check(
            Self.bmp(
                2,
                1,
                bits: 32,
                compression: 3,
                length: 56,
                behind: withAlpha,
                [0, 0, 255, 255, 0, 0, 0, 0]
            ),
            [[Self.red, Self.clear]]
        )
    }

    @Test func `runs are unpacked, and what they leave out has the first colour`() async throws {
        let colours = Self.palette + [UInt8](repeating: 0, count: 4 * 252)
        // Two pixels, a literal of three with a byte to fill up, the row's end; a move; the end.
        let runs: [UInt8] = [2, 1, 0, 3, 2, 3, 2, 0, 0, 0, 0, 2, 1, 0, 1, 3, 0, 1]
        try await check(
            Self.bmp(5, 2, bits: 8, compression: 1, behind: colours, runs),
            [
                [Self.red, Self.white, Self.red, Self.red, Self.red],
                [Self.green, Self.green, Self.blue, Self.white, Self.blue],
            ]
        )
        try await check(
            Self.bmp(
                3,
                1,
                bits: 4,
                compression: 2,
                behind: Self.palette + [UInt8](repeating: 0, count: 48),
                [3, 0x12, 0, 1]
            ),
            [[Self.green, Self.blue, Self.green]]
        )
    }

    @Test func `a bitmap that is cut off or impossible has an error that says so`() async throws {
        let file = Self.bmp(1, 2, bits: 24, [255, 0, 0, 0, 0, 0, 255, 0])
        for count in 26..<file.count { #expect(try await code(Array(file.prefix(count))) == .truncatedImage) }
        #expect(try await code(Self.bmp(0, 2, bits: 24, [])) == .corruptImage)
        #expect(try await code(Self.bmp(1 << 30, 1 << 30, bits: 24, [])) == .tooManyPixels)
        let most = 0x7FFF_FFFF
        #expect(try await code(Self.bmp(most, most, bits: 32, [])) == .tooManyPixels)
        #expect(try await code(Array("P6 \(most) \(most) 65535\n".utf8)) == .tooManyPixels)
        #expect(try await code(Array("P3 \(most) \(most) 255\n".utf8)) == .tooManyPixels)
        #expect(try await code(Self.bmp(1, 1, bits: 7, [0, 0, 0, 0])) == .unsupportedFormat)
        #expect(try await code(Self.bmp(1, 1, bits: 8, compression: 4, [0, 0, 0, 0])) == .unsupportedFormat)
        #expect(
            try await code(Array("BM, said the text, is not a picture at all, whatever it says.".utf8))
                == .unsupportedFormat
        )
    }

    // MARK: TGA

    private static func tga(
        _ width: Int,
        _ height: Int,
        type: Int,
        bits: Int,
        descriptor: Int = 0x20,
        palette: (bits: Int, colours: [UInt8])? = nil,
        _ pixels: [UInt8]
    ) -> [UInt8] {
        let name = Array("drawn".utf8)
        let count = palette.map { $0.colours.count / (($0.bits + 7) / 8) } ?? 0
        var file = [UInt8(name.count), palette == nil ? 0 : 1, UInt8(type)]
        file += little(0, 2) + little(count, 2) + [UInt8(palette?.bits ?? 0), 0, 0, 0, 0]
        file += little(width, 2) + little(height, 2) + [UInt8(bits), UInt8(descriptor)] + name
        return file + (palette?.colours ?? []) + pixels
    }

    @Test func `Targa files of all kinds are read`() async throws {
        let (red, blue): ([UInt8], [UInt8]) = ([0, 0, 255], [255, 0, 0])
        try await check(Self.tga(1, 2, type: 2, bits: 24, red + blue), [[Self.red], [Self.blue]])
        // The lowest row comes first, and the right one.
        try await check(
            Self.tga(1, 2, type: 2, bits: 24, descriptor: 0, red + blue),
            [[Self.blue], [Self.red]]
        )
        try await check(
            Self.tga(2, 1, type: 2, bits: 24, descriptor: 0x30, red + blue),
            [[Self.blue, Self.red]]
        )
        try await check(
            Self.tga(2, 1, type: 2, bits: 32, descriptor: 0x28, red + [255] + blue + [0]),
            [[Self.red, Self.clear]]
        )
        // Without a word about alpha, pixels of which all are transparent are opaque.
        try await check(
            Self.tga(2, 1, type: 2, bits: 32, red + [255] + blue + [0]),
            [[Self.red, Self.clear]]
        )
        try await check(
            Self.tga(2, 1, type: 2, bits: 32, red + [0] + blue + [0]),
            [[Self.red, Self.blue]]
        )
        try await check(Self.tga(2, 1, type: 2, bits: 16, [0, 0x7C, 0x1F, 0]), [[Self.red, Self.blue]])
        try await check(
            Self.tga(2, 1, type: 2, bits: 16, descriptor: 0x21, [0, 0xFC, 0x1F, 0]),
            [[Self.red, Self.clear]]
        )
        try await check(Self.tga(2, 1, type: 3, bits: 8, [0, 255]), [[Self.black, Self.white]])
        try await check(
            Self.tga(2, 1, type: 3, bits: 16, descriptor: 0x28, [0, 255, 9, 0]),
            [[Self.black, Self.clear]]
        )
        try await check(
            Self.tga(3, 1, type: 1, bits: 8, palette: (24, red + blue), [1, 0, 1]),
            [[Self.blue, Self.red, Self.blue]]
        )
        let facts = try ImageProbe.facts(of: .bytes(Self.tga(2, 1, type: 3, bits: 8, [0, 255])))
        #expect(facts.format == .tga && facts.size == PixelSize(width: 2, height: 1) && !facts.hasAlpha)
    }

    @Test func `runs of a Targa may go on in the next row`() async throws {
        try await check(
            Self.tga(2, 2, type: 10, bits: 24, [0x82, 0, 0, 255, 0, 255, 0, 0]),
            [[Self.red, Self.red], [Self.red, Self.blue]]
        )
        try await check(
            Self.tga(3, 1, type: 11, bits: 8, [1, 0, 255, 0x80, 0]),
            [[Self.black, Self.white, Self.black]]
        )
    }

    @Test func `a Targa that is cut off or impossible has an error that says so`() async throws {
        let whole = Self.tga(2, 2, type: 2, bits: 24, [UInt8](repeating: 9, count: 12))
        for count in 18..<whole.count {
            #expect(try await code(Array(whole.prefix(count))) == .truncatedImage)
        }
        let runs = Self.tga(2, 2, type: 10, bits: 24, [0x83, 0, 0, 255])
        #expect(try await code(runs) == nil)
        #expect(try await code(runs.dropLast()) == .truncatedImage)
        #expect(try await code(Self.tga(65_535, 65_535, type: 11, bits: 8, [0])) == .tooManyPixels)
        // There is no signature: what makes no sense is not a Targa.
        for file in [
            Self.tga(0, 1, type: 2, bits: 24, []), Self.tga(1, 1, type: 4, bits: 24, [0, 0, 0]),
            Self.tga(1, 1, type: 2, bits: 23, [0, 0, 0]), Self.tga(1, 1, type: 1, bits: 8, [0]),
            Self.tga(1, 1, type: 2, bits: 24, descriptor: 0xC0, [0, 0, 0]), [UInt8](repeating: 0, count: 80),
        ] { #expect(try await code(file) == .unsupportedFormat) }
    }

    // MARK: ICO

    private static func ico(_ pictures: [[UInt8]]) -> [UInt8] {
        var offset = 6 + 16 * pictures.count
        var file: [UInt8] = [0, 0, 1, 0] + little(pictures.count, 2)
        for picture in pictures {
            file += [0, 0, 0, 0, 1, 0, 32, 0] + little(picture.count, 4) + little(offset, 4)
            offset += picture.count
        }
        return file + pictures.joined()
    }

    /// A bitmap of 24 bits in an icon, with the mask of what is transparent.
    private static func entry(_ pixels: [UInt8], mask: UInt8) -> [UInt8] {
        bmp(1, 2, bits: 24, pixels).dropFirst(14) + [mask, 0, 0, 0]
    }

    @Test func `the largest picture of an icon is read, with its mask`() async throws {
        let opaque = Self.entry([0, 0, 255, 0], mask: 0)
        try await check(Self.ico([opaque]), [[Self.red]])
        try await check(Self.ico([Self.entry([0, 0, 255, 0], mask: 0x80)]), [[Self.clear]])
        try await withImageCodec { codec in
            let rows = [Self.green, Self.blue] + [Self.white, Self.clear]
            let png = try await codec.encode(
                Bitmap(size: PixelSize(width: 2, height: 2), rgba: rows.flatMap(\.self)),
                as: .png
            )
            try await check(Self.ico([opaque, png]), [[Self.green, Self.blue], [Self.white, Self.clear]])
            try await check(Self.ico([png, opaque]), [[Self.green, Self.blue], [Self.white, Self.clear]])
        }
        let facts = try ImageProbe.facts(of: .bytes(Self.ico([opaque])))
        #expect(facts.format == .ico && facts.size == PixelSize(width: 1, height: 1) && facts.hasAlpha)
    }

    @Test func `an icon without a readable picture has an error that says so`() async throws {
        let opaque = Self.ico([Self.entry([0, 0, 255, 0], mask: 0)])
        #expect(try await code(Self.ico([])) == .corruptImage)
        #expect(try await code(Array(opaque.prefix(50))) == .truncatedImage)
        #expect(try await code([0, 0, 1, 0, 1, 0] + [UInt8](repeating: 0, count: 60)) == .corruptImage)
    }

    // MARK: Damage

    @Test func `a damaged header has an error, or a size`() {
        for bits in [8, 16, 24, 32] {
            for compression in 0...3 {
                probeDamaged(
                    Self.bmp(3, 2, bits: bits, compression: compression, [UInt8](repeating: 0, count: 80))
                )
            }
        }
        probeDamaged(Self.ico([Self.entry([0, 0, 255, 0], mask: 0)]))
        for type in [1, 2, 3, 9, 10, 11] {
            let palette = type & 3 == 1 ? (24, [UInt8](repeating: 9, count: 60)) : nil
            probeDamaged(
                Self.tga(3, 2, type: type, bits: type & 3 == 2 ? 32 : 8, palette: palette, [1, 2, 3])
            )
        }
        for version in 1...2 {
            probeDamaged(
                Self.psd(3, 2, version: version, resources: [(1039, [1, 2, 3, 4])], layers: -1, [1, 2, 3])
            )
        }
        for kind in 1...6 {
            probeDamaged(Array("P\(kind)\n12 10\n255\n".utf8) + [UInt8](repeating: 49, count: 64))
        }
    }

    // MARK: Results

    @Test(arguments: [RenditionSpec(.fit(1, 1), .jpeg), RenditionSpec(.none, .original(quality: 80))])
    func `results are in a format that is written`(_ spec: RenditionSpec) async throws {
        try await withImageCodec { codec in
            let source = CodecInput.bytes(Self.bmp(1, 2, bits: 24, [255, 0, 0, 0, 0, 0, 255, 0]))
            let picture = try await codec.pictures(of: source) { [.encoded(spec)] }[0].get()
            guard case .encoded(let bytes, let format) = picture.content else { throw CodecError.outOfBytes }
            #expect(format == (spec.output == .jpeg ? .jpeg : .png))
            #expect(try ImageProbe.facts(of: .bytes(bytes)).format == format)
        }
    }
}
