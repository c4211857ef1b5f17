import CalotypeCJPEGShim
import CalotypeCore

/// What libjpeg tells of a JPEG before its first scan.
struct JPEGFrame {
    /// The size and the sampling of the components.
    let geometry: CJPEGFrame
    /// What the components mean, as far as they are decoded here.
    let space: CJPEGSpace
    /// The embedded ICC profile; empty where there is none or it is damaged.
    let profile: [UInt8]
    /// Whether there is a profile of more bytes than are kept.
    let hasLongProfile: Bool
    /// Whether it is arithmetic-coded; the decoder cannot detect that such data is truncated.
    let hasArithmeticCodes: Bool

    /// The size as stored.
    var size: PixelSize { PixelSize(width: Int(geometry.width), height: Int(geometry.height)) }

    /// The number of components.
    var components: Int { Int(geometry.components) }

    /// What the decoded rows are; `nil` for what is not decoded here.
    var model: SampleLayout.Model? {
        switch space {
        case CJPEG_GREY: .grey
        case CJPEG_COLOUR: .rgb
        default: nil
        }
    }

    /// The bytes that libjpeg and the rows that it gives take at `scale` eighths, the source's bytes not counted.
    func decoderBytes(scale: Int) -> Int {
        var geometry = geometry
        let decoder = unsafe cjpeg_decoder_bytes(&geometry, Int32(clamping: scale))
        return Int(decoder) + JPEGDecoder.heldRows * (size.width * scale / 8 + 1) * (model?.channels ?? 3)
    }
}
