import CalotypeCodec
import CalotypeCore

/// What a file is, by its first bytes.
struct MediumKind: Sendable {
    /// How long a beginning is looked at.
    static let prefixBytes = 1 << 20

    /// `image`, `gifv`, `video` or `audio`.
    let word: String
    /// How many pixels a picture has, width and height; `nil` of others, or where the beginning does not tell.
    let size: PixelSize?

    /// Looks at the first bytes; `nil` where they are nothing that is known.
    init?(_ prefix: [UInt8]) {
        // That it cannot be read says that it is no picture.
        if let facts = try? ImageProbe.facts(fromPrefix: prefix, isComplete: prefix.count < Self.prefixBytes)
        {
            self.init(facts.format == .gif ? "gifv" : "image", facts.storedSize)
            guard facts.format != .tiff else { return nil }
        } else if prefix.dropFirst(4).starts(with: Array("ftyp".utf8)) {
            let isSound = prefix.dropFirst(8).starts(with: Array("M4A".utf8))
            self.init(isSound ? "audio" : "video", nil)
        } else if prefix.starts(with: [0x1a, 0x45, 0xdf, 0xa3]) {
            self.init("video", nil)
        } else if Self.sounds.contains(where: { prefix.starts(with: $0) }) {
            self.init("audio", nil)
        } else {
            return nil
        }
    }

    private init(_ word: String, _ size: PixelSize?) {
        self.word = word
        self.size = size
    }

    var isOfTime: Bool { word == "video" || word == "audio" }

    private static let sounds: [[UInt8]] = [
        Array("OggS".utf8), Array("fLaC".utf8), Array("ID3".utf8), Array("RIFF".utf8), [0xff, 0xfb],
    ]
}
