import CalotypeCore

/// What the chunks of a still WebP (RFC 9649) say of it, up to its pixels.
struct WebPStructure {
    /// How the pixels are coded.
    enum Coding {
        /// As `VP8 `, with an `ALPH` chunk beside it or not.
        case lossy
        /// As `VP8L`.
        case lossless
    }

    /// How the pixels are coded.
    var coding = Coding.lossy
    /// Whether there is an alpha channel.
    var hasAlpha = false
    /// The embedded ICC profile; empty where there is none.
    var profile: [UInt8] = []

    /// Why this is none for the fast path.
    struct Oddity: Error {
        let reason: String
    }

    /// The largest profile that is read.
    static let mostProfileBytes = 4 << 20
    /// The chunks before the pixels; no writer puts more than three there.
    private static let mostChunks = 16

    /// Reads the chunks of the file in `reader`, whose header told `facts`.
    ///
    /// - Throws: `HeaderFault`; `Oddity` for what is rare or leaves libwebp and libvips room for a reading of their own.
    init(_ reader: inout ByteReader, _ facts: ImageFacts) throws {
        guard facts.frames == 1 else { throw Oddity(reason: "animated") }
        hasAlpha = facts.hasAlpha
        var offset = 12
        if try reader.matches("VP8X", at: offset) { offset = try readExtended(&reader, offset) }
        if try reader.matches("VP8 ", at: offset) {
            coding = .lossy
        } else if try reader.matches("VP8L", at: offset) {
            coding = .lossless
        } else {
            throw Oddity(reason: "unusual chunks")
        }
        guard try Self.size(&reader, offset + 8, coding) == facts.storedSize else {
            throw Oddity(reason: "a frame of another size than the picture")
        }
    }

    /// Reads the chunks from the extended header at `start` to the pixels, and gives the place of those.
    private mutating func readExtended(_ reader: inout ByteReader, _ start: Int) throws -> Int {
        let flags = try reader.byte(start + 8)
        var hasAlphaChunk = false
        var offset = start
        for _ in 0..<Self.mostChunks {
            let content = offset + 8
            let length = try reader.little(offset + 4, 4)
            switch try reader.code(offset) {
            case "VP8 ", "VP8L":
                let isConsistent = (flags & 0x20 != 0) == !profile.isEmpty && (!hasAlphaChunk || hasAlpha)
                guard isConsistent else { throw Oddity(reason: "flags that do not fit the chunks") }
                return offset
            case "ALPH": hasAlphaChunk = true
            case "ICCP":
                guard length <= Self.mostProfileBytes else { throw Oddity(reason: "a very large profile") }
                profile = try reader.bytes(content, length)
            case "ANIM", "ANMF": throw Oddity(reason: "animated")
            default: break
            }
            offset = content + length + length & 1
        }
        throw Oddity(reason: "unusual chunks")
    }

    /// The size that the pixels at `content` have.
    private static func size(
        _ reader: inout ByteReader,
        _ content: Int,
        _ coding: Coding
    ) throws(HeaderFault) -> PixelSize {
        switch coding {
        case .lossy:
            let (width, height) = (try reader.little(content + 6, 2), try reader.little(content + 8, 2))
            return PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
        case .lossless:
            let bits = try reader.little(content + 1, 4)
            return PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
        }
    }
}
