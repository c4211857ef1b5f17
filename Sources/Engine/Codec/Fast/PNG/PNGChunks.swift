import CalotypeCPictures
import CalotypeCore

/// The part of a PNG before its picture data, as far as it changes the pixels.
struct PNGChunks {
    private(set) var pixels: PNGPixels
    /// The embedded profile; empty if there is none.
    private(set) var profile: [UInt8] = []
    /// Where the first chunk of picture data begins.
    private(set) var dataOffset = PNGChunk.afterHeader

    private static let mostChunks = 10_000
    /// The limit of libpng and libvips.
    private static let mostLength = Int(Int32.max)
    private static let mostEdge = 10_000_000
    /// No web picture has a longer profile.
    private static let mostContent = 4 << 20
    /// The chunks to read, and those that contradict them.
    private static let heeded: Set = ["PLTE", "tRNS", "iCCP", "sRGB"]
    private static let unusual = CodecError.unusual("unusual chunks")

    /// Reads the chunks up to the picture data of a file that has a valid header.
    ///
    /// - Throws: ``CodecError/unusual(_:)`` for what libvips knows better how viewers treat it, among others.
    init(_ reader: inout ByteReader) throws(CodecError) {
        pixels = try Self.header(&reader)
        var seen: Set<String> = []
        for _ in 0..<Self.mostChunks {
            let chunk = try PNGChunk(&reader, at: dataOffset)
            guard chunk.content.count <= Self.mostLength, Self.isName(chunk.kind) else { throw Self.unusual }
            guard chunk.kind != "IDAT" else {
                try check(seen)
                return
            }
            guard seen.insert(chunk.kind).inserted || !Self.heeded.contains(chunk.kind) else {
                throw Self.unusual
            }
            try take(chunk, after: seen, &reader)
            dataOffset = chunk.end
        }
        throw Self.unusual
    }

    private static func header(_ reader: inout ByteReader) throws(CodecError) -> PNGPixels {
        let content = try content(&reader, PNGChunk.header + 8..<PNGChunk.header + 8 + 13)
        let size = PixelSize(width: try reader.big(16, 4), height: try reader.big(20, 4))
        let depth = Int(content[8])
        guard depth <= 8 else { throw .unusual("16 bits a channel") }
        guard content[12] == 0 else { throw .unusual("interlaced") }
        guard content[10] == 0, content[11] == 0, size.width <= mostEdge, size.height <= mostEdge,
            let colour = PNGPixels.Colour(rawValue: Int(content[9]))
        else { throw unusual }
        return PNGPixels(size: size, colour: colour, depth: depth)
    }

    private static func isName(_ kind: String) -> Bool {
        kind.utf8.count == 4 && kind.utf8.allSatisfy { (65...90).contains($0 & ~32) }
    }

    /// Takes what `chunk` says of the pixels.
    private mutating func take(
        _ chunk: PNGChunk,
        after seen: Set<String>,
        _ reader: inout ByteReader
    ) throws(CodecError) {
        func content() throws(CodecError) -> [UInt8] { try Self.content(&reader, chunk.content) }
        switch chunk.kind {
        // libpng ignores these if they come too late, so a decoder that uses them would produce another
        // picture.
        case "PLTE" where seen.contains("tRNS"): throw Self.unusual
        case "iCCP" where seen.contains("PLTE"): throw Self.unusual
        case "PLTE": pixels.palette = try content()
        case "tRNS": pixels.transparency = try content()
        case "iCCP": profile = try PNGProfile.inflated(content(), for: pixels.colour)
        case "acTL": throw .unusual("animated")
        default:
            // A capital first letter marks a chunk without which the picture cannot be decoded.
            guard chunk.kind.utf8.first.map({ $0 & 32 != 0 }) == true else { throw Self.unusual }
        }
    }

    /// Checks that the chunks are consistent.
    private func check(_ seen: Set<String>) throws(CodecError) {
        let colours = pixels.palette.count / 3
        let mostColours = pixels.colour == .palette ? 1 << pixels.depth : 256
        let isPaletteFine =
            seen.contains("PLTE")
            ? pixels.palette.count % 3 == 0 && (1...mostColours).contains(colours) : pixels.colour != .palette
        let transparencies: ClosedRange<Int>
        switch pixels.colour {
        case .grey: transparencies = 2...2
        case .rgb: transparencies = 6...6
        case .palette: transparencies = 1...max(1, colours)
        case .greyAlpha, .rgba: transparencies = -1 ... -1
        }
        let isTransparencyFine = !seen.contains("tRNS") || transparencies.contains(pixels.transparency.count)
        let hasPaletteOfGrey =
            seen.contains("PLTE") && (pixels.colour == .grey || pixels.colour == .greyAlpha)
        guard isPaletteFine, isTransparencyFine, !hasPaletteOfGrey else { throw Self.unusual }
        guard !seen.isSuperset(of: ["iCCP", "sRGB"]) else { throw .unusual("two colour spaces") }
    }

    /// The content of the chunk that has it at `place`, whose check sum has to be right.
    private static func content(
        _ reader: inout ByteReader,
        _ place: Range<Int>
    ) throws(CodecError) -> [UInt8] {
        guard place.count <= mostContent else { throw unusual }
        let checked = try reader.bytes(place.lowerBound - 4, 4 + place.count)
        let crc = unsafe Int(cpng_crc(0, checked, checked.count))
        guard try reader.big(place.upperBound, 4) == crc else { throw unusual }
        return Array(checked.dropFirst(4))
    }
}

/// Reads the ICC profiles of iCCP chunks (PNG specification, third edition, 11.3.2.3).
enum PNGProfile {
    /// The minimum size of a profile: its header and the number of its tags.
    private static let headBytes = 132
    /// No web picture has a longer profile.
    private static let mostBytes = 4 << 20

    /// Returns the profile in `content`, or nothing if it is damaged or not for pictures of `colour`.
    ///
    /// Such a profile is ignored, by the same rules as in libpng.
    ///
    /// - Throws: ``CodecError/unusual(_:)`` for a profile that is too long.
    static func inflated(_ content: [UInt8], for colour: PNGPixels.Colour) throws(CodecError) -> [UInt8] {
        guard let end = content.prefix(80).firstIndex(of: 0), end > 0, content.count >= end + 13,
            content[end + 1] == 0
        else { return [] }
        let compressed = Array(content.dropFirst(end + 2))
        let head = inflated(compressed, capacity: headBytes)
        var reader = ByteReader(head)
        guard let length = try? reader.big(0, 4), length >= headBytes else { return [] }
        guard length <= mostBytes else { throw .unusual("large colour profile") }
        let profile = inflated(compressed, capacity: length)
        reader = ByteReader(profile)
        guard profile.count == length, (try? isSound(&reader, colour)) == true else { return [] }
        return profile
    }

    static func inflated(_ bytes: [UInt8], capacity: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = unsafe cpng_inflate(bytes, bytes.count, buffer.baseAddress, capacity)
        }
    }

    /// Whether the profile (ISO 15076-1, 7.2) is a device profile for pictures of `colour`, and contains all
    /// its tags.
    private static func isSound(
        _ reader: inout ByteReader,
        _ colour: PNGPixels.Colour
    ) throws(CodecError) -> Bool {
        let isGrey = colour == .grey || colour == .greyAlpha
        let tags = try reader.big(128, 4)
        guard try reader.matches("acsp", at: 36), try reader.matches(isGrey ? "GRAY" : "RGB ", at: 16),
            try ["scnr", "mntr", "prtr", "spac"].contains(reader.code(12)),
            try ["XYZ ", "Lab "].contains(reader.code(20)),
            try reader.byte(8) <= 3 || reader.count % 4 == 0, try reader.big(64, 4) < 0xFFFF,
            tags <= (reader.count - headBytes) / 12
        else { return false }
        for tag in 0..<tags {
            let start = try reader.big(headBytes + 12 * tag + 4, 4)
            guard start + (try reader.big(headBytes + 12 * tag + 8, 4)) <= reader.count else { return false }
        }
        return true
    }
}
