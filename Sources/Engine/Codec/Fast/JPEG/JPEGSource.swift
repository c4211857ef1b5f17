import CalotypeCJPEGShim
import CalotypeCore

/// A JPEG of 8 bits, grey or in three colours: baseline, extended or progressive, Huffman or arithmetic codes.
struct JPEGSource: FastSource {
    private let source: EncodedSource
    private let frame: JPEGFrame

    let model: SampleLayout.Model

    /// Whether `source` is decoded here, told by its header as libjpeg understands it.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`, `file_not_readable`.
    static func verdict(
        _ source: EncodedSource,
        _ facts: ImageFacts
    ) throws(CalotypeError) -> FastVerdict {
        let frame = try JPEGReader(source).header(keepsProfile: true)
        guard let model = frame.model else {
            return .left(reason: frame.geometry.components == 4 ? "CMYK" : "unusual components")
        }
        guard frame.size == facts.storedSize else { return .left(reason: "two sizes") }
        guard !frame.hasLongProfile else {
            return .left(reason: "ICC profile of more than \(ByteCount(Int(CJPEG_MOST_PROFILE_BYTES)))")
        }
        return .taken(JPEGSource(source: source, frame: frame, model: model))
    }

    var profile: [UInt8] { frame.profile }

    /// The scales for which libjpeg-turbo has vector instructions.
    ///
    /// At 3 eighths it takes longer than at 4, and at 5, 6 and 7 longer than at full size, by up to four fifths. All eight
    /// can be decoded.
    var scales: [Int] { [1, 2, 4, 8] }

    func decoderBytes(scale: Int) -> Int { frame.decoderBytes(scale: scale) }

    /// Begins to decode at `scale` eighths.
    ///
    /// No call takes long, so `isCancelled` is never asked: the scans of a progressive picture are gathered bit by bit, by
    /// calls of ``RowDecoder/next(_:)`` that give no rows.
    func decoder(
        scale: Int,
        acceptsTruncated: Bool,
        isCancelled: @escaping () -> Bool
    ) throws -> any RowDecoder {
        try JPEGDecoder(
            source,
            size: frame.size,
            model: model,
            scale: scale,
            acceptsTruncated: acceptsTruncated
        )
    }
}
