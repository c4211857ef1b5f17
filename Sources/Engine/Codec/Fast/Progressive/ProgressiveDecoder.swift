import CalotypeCore

/// Decodes a progressive JPEG whose scans are in order: it reads them itself, and libjpeg makes rows of the result.
///
/// Steps without rows come first, of a millisecond or two each.
final class ProgressiveDecoder: RowDecoder {
    let layout: SampleLayout
    private let reader: JPEGReader
    private var scans: ProgressiveReader
    private let lines: [Int]
    private let acceptsTruncated: Bool
    private let rowBytes: Int
    private var rows: [UInt8]
    /// The row of units whose coefficients libjpeg has.
    private var unitRow: Int?
    private var hasScans = false
    private var isDone = false

    /// The number of blocks to read in a step.
    private static let stepBlocks = 4096

    /// Starts decoding `source`, whose stored size is `size`, at `scale` eighths.
    ///
    /// - Throws: `corrupt_image`, `too_many_pixels` if memory runs out.
    init(
        _ source: EncodedSource,
        _ script: ProgressiveScript,
        size: PixelSize,
        model: SampleLayout.Model,
        scale: Int,
        acceptsTruncated: Bool
    ) throws(CalotypeError) {
        reader = try JPEGReader(source)
        _ = try reader.header(keepsProfile: false)
        let plane = SamplePlane(
            channels: model.channels,
            size: try reader.startBlocks(scale: scale),
            width: Double(size.width * scale) / 8,
            height: Double(size.height * scale) / 8
        )
        layout = SampleLayout(model: model, planes: [plane])
        rowBytes = plane.rowBytes
        rows = [UInt8](repeating: 0, count: JPEGDecoder.heldRows * plane.rowBytes)
        scans = ProgressiveReader(source.reader(), script, scale: scale)
        lines = script.frame.components.map(\.sampling.down)
        self.acceptsTruncated = acceptsTruncated
    }

    var isPartial: Bool { scans.cut != nil }

    func next(_ body: (_ plane: Int, _ row: Span<UInt8>) throws -> Void) throws -> Bool {
        guard !isDone else { return false }
        guard hasScans else {
            try readScans()
            return true
        }
        if let row = reader.wantedRow, row != unitRow { put(row) }
        let step = try reader.rows(&rows, rowBytes: rowBytes)
        let made = rows
        for row in 0..<step.rows {
            try body(0, made.span.extracting(row * rowBytes..<(row + 1) * rowBytes))
        }
        isDone = step.isLast
        return !isDone
    }

    private func readScans() throws(CalotypeError) {
        var blocks = 0
        while blocks < Self.stepBlocks, !hasScans {
            do throws(CodecError) {
                let step = try scans.step()
                blocks += step ?? 0
                hasScans = step == nil
            } catch {
                throw ImageProbe.error(error)
            }
            guard let cut = scans.cut, !acceptsTruncated else { continue }
            let reason = "premature end of data segment"
            throw cut == .atEnd ? .cut("JPEG", reason) : .damaged("JPEG", reason)
        }
    }

    /// Gives libjpeg the coefficients of a row of units.
    private func put(_ row: Int) {
        unitRow = row
        for (component, lines) in lines.enumerated() {
            let plane = scans.planes[component]
            for line in 0..<min(lines, plane.down - row * lines) {
                reader.withBlocks(component, line: line) { plane.write(row: row * lines + line, to: &$0) }
            }
        }
    }
}
