import CalotypeCore

/// Encodes rows as a PNG without metadata, 8 bits a channel or fewer where the picture has few colours.
///
/// The pixels that come out of it are exactly those that went in; how they are stored depends on them: grey stays grey,
/// an alpha that is opaque everywhere is left out, and a picture of at most 256 colours gets a palette.
final class PNGEncoder: RowEncoder {
    let model: SampleLayout.Model
    private let size: PixelSize
    private let effort: Effort
    /// What is known of the picture; `nil` once it is decided how it is stored.
    private var scout: PNGScout?
    private var form: PNGForm
    private var writer: PNGWriter?

    /// Begins a picture of `size` whose rows have the channels of `source`.
    ///
    /// - Parameters:
    ///   - size: The picture's size.
    ///   - source: What the picture is laid out as before it is encoded.
    ///   - effort: How much time a smaller result is worth: `.fast` compresses once, `.balanced` compresses pictures of
    ///     large equal areas better, `.best` all that are not too large to be held.
    init(_ size: PixelSize, source: SampleLayout.Model, effort: Effort = .balanced) {
        model = source == .videoYCbCr ? .rgb : source
        self.size = size
        self.effort = effort
        scout = PNGScout(model)
        form = PNGForm(model)
    }

    func write(_ row: Span<UInt8>) throws(CalotypeError) {
        precondition(row.count == size.width * model.channels, "a row of \(row.count) bytes")
        if let writer { return try writer.write(row) }
        scout?.look(at: row)
        if scout?.isDecided != false { try begin() }
    }

    func finish() throws(CalotypeError) -> [UInt8] {
        if writer == nil {
            form = scout?.form(of: size) ?? form
            try begin()
        }
        guard let writer else { preconditionFailure("a PNG ends that has not begun") }
        var file = PNGFile(size, form)
        try writer.finish { file.add(data: $0) }
        return file.ended()
    }

    /// Writes the rows that were held until it was known how they are stored.
    private func begin() throws(CalotypeError) {
        let writer = try PNGWriter(
            rowBytes: (size.width * form.pixelBits + 7) / 8,
            pixelBytes: max(1, form.pixelBits / 8),
            filters: form.isFiltered,
            effort: effort
        )
        try scout?.giveRows(size.width * model.channels, as: form, to: writer)
        scout = nil
        self.writer = writer
    }
}
