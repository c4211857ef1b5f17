import CalotypeCore

/// Decodes a JPEG at a number of eighths of its size, to grey or to red, green, blue.
///
/// A step takes a millisecond or two. Where each scan has only a part of the picture, as in progressive ones, steps without
/// rows come first; before each step its owner may stop.
final class JPEGDecoder: RowDecoder {
    /// The rows that a step gives at most.
    static let heldRows = 16

    let layout: SampleLayout
    private let reader: JPEGReader
    private let rowBytes: Int
    private var rows: [UInt8]
    private var isDone = false

    /// Begins to decode `source`, of which `size` is the stored size.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`, `too_many_pixels` where there is no memory.
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
