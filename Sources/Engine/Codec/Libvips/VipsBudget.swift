import CalotypeCore

/// Estimates the memory that a decode takes, so that a gate can admit it.
enum VipsBudget {
    /// The rows that a decoder and a resampler hold at a time when they work row by row.
    private static let heldRows = 1024

    /// The bytes for decoding a picture of `facts`, shrunk by `shrink` while loading, into results of `outputs`
    /// pixels in all; `keepsBase` where the shrunk picture is held whole to make several results of it.
    static func bytes(_ facts: ImageFacts, shrink: Int, keepsBase: Bool, outputs: Int) -> Int {
        let size = facts.storedSize
        let channelBytes = min(max((facts.bitDepth + 7) / 8, 1), 8)
        let pixel = (facts.hasAlpha ? 4 : 3) * channelBytes
        let base = PixelSize(width: size.width / shrink + 1, height: size.height / shrink + 1)
        let baseRows = keepsBase ? base.height : min(base.height, heldRows)
        // Whatever the limits let through, the arithmetic does not overflow.
        let pixels = min(size.pixelCount, 1 << 40)
        let decoder = facts.needsWholePicture ? pixels * decoderBytes(facts, pixel: pixel) : 0
        // Each result is held as pixels and, while it is encoded, as bytes.
        return decoder + min(base.pixelCount, base.width * baseRows) * pixel + min(outputs, 1 << 40) * 5
    }

    /// The bytes for a watermark: what its header tells, decoded, and as it is laid on.
    static func watermarkBytes(_ watermark: Watermark?) -> Int {
        guard let watermark, let facts = try? EncodedSource.memory(watermark.picture.bytes).facts() else {
            return 0
        }
        return min(facts.storedSize.pixelCount, 1 << 40) * 12
    }

    /// The bytes for laying out a decoded picture of `size` as pixels: once by the decoder, once as a value.
    static func bitmapBytes(_ size: PixelSize) -> Int {
        min(size.pixelCount, 1 << 40) * 8
    }

    /// The bytes a pixel that the decoder itself holds of the whole picture.
    private static func decoderBytes(_ facts: ImageFacts, pixel: Int) -> Int {
        switch facts.format {
        case .jpeg: 3
        case .png, .tiff: pixel
        case .webp, .gif: 4
        // Planes of the codec beside the interleaved picture.
        case .avif, .heic: 2 * pixel
        }
    }
}
