import CalotypeCore

/// Reads the headers of Photoshop documents (Adobe Photoshop File Formats Specification, November 2019).
///
/// Only the merged image is read, in which Photoshop has drawn all layers.
struct PSDHeader {
    /// The meaning of the channels.
    enum Mode: Int {
        case bitmap = 0
        case grey = 1
        case indexed = 2
        case colours = 3
        case inks = 4
        /// Photoshop does not document the inks, so the image is read as grey.
        case duotone = 8

        /// The number of channels without alpha.
        var channels: Int {
            switch self {
            case .bitmap, .grey, .indexed, .duotone: 1
            case .colours: 3
            case .inks: 4
            }
        }

        /// The numbers of bits per sample that are read.
        fileprivate var bits: [Int] {
            switch self {
            case .bitmap: [1]
            case .indexed: [8]
            case .grey, .colours, .inks, .duotone: [8, 16]
            }
        }
    }

    let size: PixelSize
    let mode: Mode
    /// The number of bits per sample: 1, 8 or 16.
    let bits: Int
    /// Whether the channel after those of the mode is alpha, not a saved selection.
    let hasAlpha: Bool
    /// The number of stored channels.
    private let channels: Int
    /// The embedded ICC profile; empty if there is none.
    let profile: Range<Int>
    /// Whether each row is compressed by itself.
    let isPacked: Bool
    /// The offset of the lengths of the rows, or of the rows if they are not compressed.
    private let start: Int
    /// Whether lengths have more bytes, as in documents of more than 30,000 pixels.
    private let isLarge: Bool

    /// The offset of the palette: 256 bytes of red, then of green, then of blue.
    static let palette = 30
    private static let mostChannels = 56
    private static let mostResources = 5_000
    private static let mostBlocks = 500
    private static let mostProfile = 16 << 20

    /// The number of channels to decode.
    var usedChannels: Int { mode.channels + (hasAlpha ? 1 : 0) }
    /// The number of bytes in a row of one channel.
    var rowBytes: Int { (size.width * bits + 7) / 8 }

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        let header = try PSDHeader(&reader)
        let profile = try reader.bytes(header.profile.lowerBound, header.profile.count)
        return ImageFacts(
            format: .psd,
            storedSize: header.size,
            needsWholePicture: true,
            hasAlpha: header.hasAlpha,
            bitDepth: header.bits,
            profile: ICCProfile.name(profile)
        )
    }

    /// Checks that all rows are there; throws `outOfBytes` if the file is truncated.
    static func check(_ reader: inout ByteReader) throws(CodecError) {
        let header = try PSDHeader(&reader)
        var end = header.firstRow
        for channel in 0..<header.usedChannels {
            end += try header.rowLengths(of: channel, &reader).reduce(0, +)
        }
        guard end <= reader.count else { throw .outOfBytes }
    }

    init(_ reader: inout ByteReader) throws(CodecError) {
        let version = try reader.big(4, 2)
        guard (1...2).contains(version) else {
            throw .unsupported("a Photoshop document of version \(version)")
        }
        isLarge = version == 2
        size = PixelSize(width: try reader.big(18, 4), height: try reader.big(14, 4))
        let sides = 1...(isLarge ? 300_000 : 30_000)
        guard sides.contains(size.width), sides.contains(size.height) else {
            throw .corrupt("the PSD is \(size) pixels")
        }
        bits = try reader.big(22, 2)
        let code = try reader.big(24, 2)
        guard let mode = Mode(rawValue: code), mode.bits.contains(bits) else {
            let name = [7: "separate inks", 9: "Lab colours"][code] ?? "colour mode \(code)"
            throw .unsupported("a Photoshop document with \(name) of \(bits) bits")
        }
        self.mode = mode
        channels = try reader.big(12, 2)
        guard (mode.channels...Self.mostChannels).contains(channels) else {
            throw .corrupt("the PSD has \(channels) channels")
        }
        // Three sections follow, each with its length: the palette, the resources and the layers.
        let palette = try Self.section(&reader, at: 26)
        guard mode != .indexed || palette.count >= 768 else { throw .corrupt("the PSD has no palette") }
        let resources = try Self.section(&reader, at: palette.upperBound)
        profile = try Self.profile(&reader, resources)
        let layers = try Self.section(&reader, at: resources.upperBound, lengthBytes: isLarge ? 8 : 4)
        let mayBeTransparent = channels > mode.channels && mode != .inks && mode != .indexed
        hasAlpha = mayBeTransparent ? try Self.isTransparent(&reader, layers, isLarge: isLarge) : false
        let compression = try reader.big(layers.upperBound, 2)
        guard compression <= 1 else {
            throw .unsupported("a Photoshop document with compression \(compression)")
        }
        isPacked = compression == 1
        start = layers.upperBound + 2
    }

    private static func section(
        _ reader: inout ByteReader,
        at offset: Int,
        lengthBytes: Int = 4
    ) throws(CodecError) -> Range<Int> {
        let start = offset + lengthBytes
        return start..<(try ByteReader.position(start, plus: reader.big(offset, lengthBytes)))
    }

    /// Returns the place of the ICC profile in `resources`; throws if they say that there is no merged image.
    private static func profile(
        _ reader: inout ByteReader,
        _ resources: Range<Int>
    ) throws(CodecError) -> Range<Int> {
        var (offset, profile) = (resources.lowerBound, 0..<0)
        for _ in 0..<mostResources where offset + 12 <= resources.upperBound {
            let kind = try reader.big(offset + 4, 2)
            // The name, with its length before it, fills an even number of bytes, and so do the contents.
            let name = (try reader.byte(offset + 6) + 2) / 2 * 2
            let contents = try section(&reader, at: offset + 6 + name)
            guard contents.upperBound <= resources.upperBound else { break }
            if kind == 1039 { profile = contents }
            if kind == 1057, contents.count >= 5, try reader.byte(contents.lowerBound + 4) == 0 {
                throw .unsupported("a Photoshop document that was saved without a merged image")
            }
            offset = contents.upperBound + contents.count % 2
        }
        guard profile.count <= mostProfile else {
            throw .corrupt("the PSD has a profile of \(profile.count) bytes")
        }
        return profile
    }

    /// Whether the merged image has transparency: the layer count is negative, or a block after the layers says so.
    private static func isTransparent(
        _ reader: inout ByteReader,
        _ layers: Range<Int>,
        isLarge: Bool
    ) throws(CodecError) -> Bool {
        guard layers.count >= 8 else { return false }
        let list = try section(&reader, at: layers.lowerBound, lengthBytes: isLarge ? 8 : 4)
        if list.count >= 2, try reader.big(list.lowerBound, 2) >= 0x8000 { return true }
        // Documents of 16 bits have their layers in a separate block, after the global mask.
        guard list.upperBound + 4 <= layers.upperBound else { return false }
        var offset = try section(&reader, at: list.upperBound).upperBound
        for _ in 0..<mostBlocks where offset + 12 <= layers.upperBound {
            guard try reader.matches("8B", at: offset) else { return false }
            let key = try reader.code(offset + 4)
            if ["Mt16", "Mt32", "Mtrn"].contains(key) { return true }
            let isLong = isLarge && longBlocks.contains(key)
            let contents = try section(&reader, at: offset + 8, lengthBytes: isLong ? 8 : 4)
            if ["Lr16", "Lr32", "Layr"].contains(key), contents.count >= 2,
                try reader.big(contents.lowerBound, 2) >= 0x8000
            {
                return true
            }
            offset = contents.lowerBound + (contents.count + 3) / 4 * 4
        }
        return false
    }

    /// The blocks whose lengths have 8 bytes in large documents.
    private static let longBlocks: Set<String> = [
        "LMsk", "Lr16", "Lr32", "Layr", "Mt16", "Mt32", "Mtrn", "Alph", "FMsk", "lnk2", "FEid", "FXid",
        "PxSD",
    ]
}

// MARK: Rows

extension PSDHeader {
    private var lengthBytes: Int { isLarge ? 4 : 2 }

    /// The offset of the first row of the first channel; the other rows follow, channel by channel.
    var firstRow: Int { isPacked ? start + channels * size.height * lengthBytes : start }

    /// The number of bytes in which each row of `channel` is stored.
    func rowLengths(of channel: Int, _ reader: inout ByteReader) throws(CodecError) -> [Int] {
        guard isPacked else { return Array(repeating: rowBytes, count: size.height) }
        let count = size.height * lengthBytes
        let table = try reader.bytes(start + channel * count, count)
        return stride(from: 0, to: count, by: lengthBytes).map { place in
            table[place..<place + lengthBytes].reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
