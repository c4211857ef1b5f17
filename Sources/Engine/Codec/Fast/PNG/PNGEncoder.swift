import CalotypeCPictures
package import CalotypeCore

/// Encodes rows as a PNG without metadata, with 8 bits per channel or fewer if the picture has few colours.
///
/// The encoding preserves the pixels exactly; they determine how they are stored: grey stays grey, an alpha
/// that is opaque everywhere is left out, and a picture of at most 256 colours gets a palette.
final class PNGEncoder: RowEncoder {
    let model: SampleLayout.Model
    private let size: PixelSize
    private let effort: Effort
    /// What is known about the picture; `nil` once its form is decided.
    private var scout: PNGScout?
    private var form: PNGForm
    private var writer: PNGWriter?

    /// Begins a picture of `size` whose rows have the channels of `source`.
    ///
    /// - Parameters:
    ///   - size: The picture's size.
    ///   - source: The layout of the picture before it is encoded.
    ///   - effort: How much time a smaller result is worth: `.fast` compresses once, `.balanced` compresses
    ///     pictures with large uniform areas better, `.best` all that are not too large to be held.
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

    /// Writes the rows that were held until their form was known.
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

extension Bitmap {
    /// This bitmap as a PNG, encoded on the calling thread.
    ///
    /// - Throws: `encode_failed`.
    package func pngBytes() throws(CalotypeError) -> [UInt8] {
        let encoder = PNGEncoder(size, source: .rgba, effort: .fast)
        for y in 0..<size.height {
            try encoder.write(rgba.span.extracting(y * rowBytes..<(y + 1) * rowBytes))
        }
        return try encoder.finish()
    }
}

/// Filters and compresses the rows of one PNG.
// SAFETY: the pointer is valid from init to deinit and never leaves this type.
@safe
final class PNGWriter {
    private let pointer: OpaquePointer
    private let rowBytes: Int

    /// Creates a writer for rows of `rowBytes` bytes, with `pixelBytes` bytes per pixel.
    ///
    /// - Throws: `encode_failed`.
    init(rowBytes: Int, pixelBytes: Int, filters: Bool, effort: Effort) throws(CalotypeError) {
        let effort: CPNGEffort =
            switch effort {
            case .fast: CPNG_FAST
            case .balanced: CPNG_BALANCED
            case .best: CPNG_BEST
            }
        guard let pointer = unsafe cpng_writer_make(rowBytes, UInt32(pixelBytes), filters, effort) else {
            throw Self.failure
        }
        unsafe self.pointer = pointer
        self.rowBytes = rowBytes
    }

    deinit {
        unsafe cpng_writer_free(pointer)
    }

    /// Takes the next row.
    ///
    /// - Throws: `encode_failed`.
    func write(_ row: Span<UInt8>) throws(CalotypeError) {
        precondition(row.count == rowBytes, "a row of \(row.count) bytes, not of \(rowBytes)")
        let done = unsafe row.withUnsafeBufferPointer { unsafe cpng_writer_write(pointer, $0.baseAddress) }
        guard done else { throw Self.failure }
    }

    /// Passes the compressed data of all rows to `body`.
    ///
    /// - Throws: `encode_failed`.
    func finish<Output>(_ body: (Span<UInt8>) -> Output) throws(CalotypeError) -> Output {
        var count = 0
        guard let bytes = unsafe cpng_writer_finish(pointer, &count) else { throw Self.failure }
        return unsafe body(UnsafeBufferPointer(start: bytes, count: count).span)
    }

    private static let failure = CalotypeError(
        .encodeFailed,
        "the image could not be encoded as PNG: out of memory",
        stage: .encode
    )
}

/// The bytes of a PNG, assembled chunk by chunk.
struct PNGFile {
    /// The maximum size of a chunk.
    private static let mostContent = 1 << 30

    private var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Begins a picture of `size` in `form`.
    init(_ size: PixelSize, _ form: PNGForm) {
        let kind = [UInt8(form.depth), UInt8(form.colour.rawValue), 0, 0, 0]
        let header = [UInt8](big: size.width, 4) + [UInt8](big: size.height, 4) + kind
        add("IHDR", header.span)
        guard !form.palette.isEmpty else { return }
        let colours = form.palette.flatMap { $0.prefix(3) }
        add("PLTE", colours.span)
        let alphas = form.palette.map { $0[3] }.filter { $0 < 255 }
        if !alphas.isEmpty { add("tRNS", alphas.span) }
    }

    /// Adds the compressed rows.
    mutating func add(data: Span<UInt8>) {
        bytes.reserveCapacity(bytes.count + data.count + 64)
        for start in stride(from: 0, to: data.count, by: Self.mostContent) {
            add("IDAT", data.extracting(start..<min(start + Self.mostContent, data.count)))
        }
    }

    /// The whole file.
    consuming func ended() -> [UInt8] {
        let nothing: [UInt8] = []
        add("IEND", nothing.span)
        return bytes
    }

    private mutating func add(_ kind: String, _ content: Span<UInt8>) {
        PNGChunk.append(kind, content, to: &bytes)
    }
}
