import CalotypeCPictures
import CalotypeCore

/// A JPEG of 8 bits, grey or in three colours: baseline, extended or progressive, Huffman or arithmetic
/// codes.
struct JPEGSource: FastSource {
    private let source: EncodedSource
    private let frame: JPEGFrame
    /// The scans of a progressive picture that is whole, so that libjpeg need not read them.
    private let script: ProgressiveScript?

    let model: SampleLayout.Model

    /// Whether `source` is decoded here, decided from its header as libjpeg understands it.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`, `file_not_readable`.
    static func verdict(
        _ source: EncodedSource,
        _ facts: ImageFacts
    ) throws(CalotypeError) -> FastVerdict<any FastSource> {
        let frame = try JPEGReader(source).header(keepsProfile: true)
        guard let model = frame.model else {
            return .left(reason: frame.geometry.components == 4 ? "CMYK" : "unusual components")
        }
        guard frame.size == facts.storedSize else { return .left(reason: "two sizes") }
        guard !frame.hasLongProfile else {
            return .left(reason: "ICC profile of more than \(ByteCount(Int(CJPEG_MOST_PROFILE_BYTES)))")
        }
        return .taken(
            JPEGSource(source: source, frame: frame, script: script(of: source, facts), model: model)
        )
    }

    /// The script of a progressive picture; whatever is wrong with it, libjpeg says or forgives.
    private static func script(of source: EncodedSource, _ facts: ImageFacts) -> ProgressiveScript? {
        guard facts.needsWholePicture else { return nil }
        return (try? ProgressiveScript(source.reader())) ?? nil
    }

    var profile: [UInt8] { frame.profile }

    /// The scales for which libjpeg-turbo has vector instructions.
    ///
    /// The other scales lose much detail: up to 20 points of SSIMULACRA2 at 3 eighths (docs/measurements.md).
    /// Their inverse transforms are also slower for each block. All eight can be decoded.
    var scales: [Int] { [1, 2, 4, 8] }

    func decoderBytes(scale: Int) -> Int {
        guard let script else { return frame.decoderBytes(scale: scale) }
        return frame.decoderBytes(scale: scale, holdsCoefficients: false) + script.heldBytes(scale: scale)
    }

    /// Starts decoding at `scale` eighths.
    ///
    /// No call takes long, so `isCancelled` is never called: the scans of a progressive picture are gathered
    /// step by step, by calls of ``RowDecoder/next(_:)`` that return no rows.
    func decoder(
        scale: Int,
        acceptsTruncated: Bool,
        isCancelled: @escaping () -> Bool
    ) throws -> any RowDecoder {
        if let script {
            return try ProgressiveDecoder(
                source,
                script,
                size: frame.size,
                model: model,
                scale: scale,
                acceptsTruncated: acceptsTruncated
            )
        }
        return try JPEGDecoder(
            source,
            size: frame.size,
            model: model,
            scale: scale,
            acceptsTruncated: acceptsTruncated
        )
    }
}

/// Decodes a JPEG at a number of eighths of its size, to grey or to red, green, blue.
///
/// A step takes a millisecond or two. If each scan has only a part of the picture, as in progressive ones,
/// steps without rows come first; before each step its owner may stop.
final class JPEGDecoder: RowDecoder {
    /// The maximum number of rows from one step.
    static let heldRows = 16

    let layout: SampleLayout
    private let reader: JPEGReader
    private let rowBytes: Int
    private var rows: [UInt8]
    private var isDone = false

    /// Starts decoding `source`, whose stored size is `size`.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`, `too_many_pixels` if memory runs out.
    init(
        _ source: EncodedSource,
        size: PixelSize,
        model: SampleLayout.Model,
        scale: Int,
        acceptsTruncated: Bool
    ) throws(CalotypeError) {
        precondition((1...8).contains(scale), "a scale of \(scale) eighths")
        reader = try JPEGReader(source)
        _ = try reader.header(keepsProfile: false)
        let plane = SamplePlane(
            channels: model.channels,
            size: try reader.start(scale: scale, acceptsTruncated: acceptsTruncated),
            width: Double(size.width * scale) / 8,
            height: Double(size.height * scale) / 8
        )
        layout = SampleLayout(model: model, planes: [plane])
        rowBytes = plane.rowBytes
        rows = [UInt8](repeating: 0, count: Self.heldRows * plane.rowBytes)
    }

    var isPartial: Bool { reader.isPartial }

    func next(_ body: (_ plane: Int, _ row: Span<UInt8>) throws -> Void) throws -> Bool {
        guard !isDone else { return false }
        let step = try reader.step(&rows, rowBytes: rowBytes)
        let made = rows
        for row in 0..<step.rows {
            try body(0, made.span.extracting(row * rowBytes..<(row + 1) * rowBytes))
        }
        isDone = step.isLast
        return !isDone
    }
}
