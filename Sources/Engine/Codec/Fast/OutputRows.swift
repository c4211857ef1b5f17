import CalotypeCore

/// One result under construction: finished rows go into its encoder, or become pixels.
final class OutputRows {
    /// Where rows end up.
    private enum Sink {
        case encoder(any RowEncoder)
        case pixels(BitmapRows)
        /// For a format that only libvips can encode.
        case library(BitmapRows, VipsEncoder)
        /// Held, to find the quality that produces few enough bytes.
        case held(HeldRows, QualityOfRows)
        /// This output has failed; the others continue.
        case failed(CalotypeError)
    }

    let spec: PictureSpec
    /// The time spent on encoding so far.
    private(set) var encoding = Duration.zero

    private var sink: Sink
    private var ground: Ground?
    private let format: ImageFormat?
    private let metadata: MetadataBlocks
    private let killSwitch: KillSwitch
    private let clock = ContinuousClock()

    /// Prepares for rows of `model`, of a picture of `size`.
    ///
    /// - Parameters:
    ///   - spec: What to make from the rows.
    ///   - size: The picture's size.
    ///   - model: What the samples of a row mean.
    ///   - source: The format that `.original` stands for.
    ///   - killSwitch: Says when to stop.
    ///   - metadata: The metadata of the encoded bytes.
    init(
        _ spec: PictureSpec,
        _ size: PixelSize,
        _ model: SampleLayout.Model,
        source: ImageFormat,
        _ killSwitch: KillSwitch,
        _ metadata: MetadataBlocks = .none
    ) {
        self.spec = spec
        self.metadata = metadata
        self.killSwitch = killSwitch
        format = spec.format(source)
        ground = spec.ground(format, model).map { Ground($0, width: size.width, model) }
        do throws(CalotypeError) {
            let model = ground?.model ?? model
            sink = try Self.sink(spec, size, model, source: source, metadata, killSwitch)
        } catch {
            sink = .failed(error)
        }
    }

    /// Takes the next row.
    func write(_ row: Span<UInt8>) {
        let start = clock.now
        defer { encoding += clock.now - start }
        if case .failed = sink { return }
        guard let laid = ground?.laid(row) else { return pass(row) }
        pass(laid.span)
    }

    /// Returns the bytes or pixels after all rows were written.
    ///
    /// - Throws: `encode_failed`, `decoder_unavailable`, `too_many_bytes`; `CancellationError`.
    func finish() throws -> CodedPicture.Content {
        let start = clock.now
        defer { encoding += clock.now - start }
        try killSwitch.check()
        switch sink {
        case .failed(let error): throw error
        case .pixels(let rows): return .pixels(rows.bitmap())
        case .library(let rows, let encoder):
            let most = spec.transform.edits.mostBytes
            return .encoded(
                try encoder.encode(rows.bitmap(), killSwitch, metadata, most: most),
                encoder.format
            )
        case .held(let rows, let quality): return .encoded(try quality.encoded(rows), quality.format)
        case .encoder(let encoder):
            guard let format else { preconditionFailure("an encoder without a format") }
            return .encoded(MetadataWriter.adding(metadata, to: try encoder.finish(), format), format)
        }
    }

    private func pass(_ row: Span<UInt8>) {
        switch sink {
        case .failed: return
        case .pixels(let rows), .library(let rows, _): rows.write(row)
        case .held(let rows, _): rows.write(row)
        case .encoder(let encoder):
            do throws(CalotypeError) {
                try encoder.write(row)
            } catch {
                sink = .failed(error)
            }
        }
    }

    private static func sink(
        _ spec: PictureSpec,
        _ size: PixelSize,
        _ model: SampleLayout.Model,
        source: ImageFormat,
        _ metadata: MetadataBlocks,
        _ killSwitch: KillSwitch
    ) throws(CalotypeError) -> Sink {
        guard case .encoded(let rendition) = spec else { return .pixels(BitmapRows(size, model)) }
        let settings = VipsEncoder(rendition.output, source: source)
        let quality = QualityOfRows(
            settings,
            size,
            model,
            rendition.transform,
            metadata,
            killSwitch
        )
        guard let encoder = try quality.encoder(settings.quality) else {
            return .library(BitmapRows(size, model), settings)
        }
        if rendition.transform.edits.mostBytes != nil, settings.hasQuality {
            return .held(HeldRows(size, model), quality)
        }
        return .encoder(encoder)
    }
}

extension PictureSpec {
    /// The format to encode, for a source of `source`; `nil` for pixels.
    fileprivate func format(_ source: ImageFormat) -> ImageFormat? {
        guard case .encoded(let rendition) = self else { return nil }
        return VipsEncoder(rendition.output, source: source).format
    }

    /// The colour behind pictures of `model`: the requested one, or white for a format without alpha.
    fileprivate func ground(_ format: ImageFormat?, _ model: SampleLayout.Model) -> Colour? {
        guard model.hasAlpha else { return nil }
        return transform.edits.background ?? (format == .jpeg ? .white : nil)
    }
}

/// Composites rows with alpha onto a colour.
struct Ground {
    /// What the samples of the resulting rows mean: without alpha, and grey only on a grey ground.
    let model: SampleLayout.Model

    private let channels: Int
    /// The ground's level for each resulting channel.
    private let levels: [UInt32]
    /// Whether the one sample of a grey pixel becomes three.
    private let spreads: Bool
    private var laid: [UInt8]

    /// Prepares for rows of `width` pixels of `model`, which has alpha.
    init(_ colour: Colour, width: Int, _ model: SampleLayout.Model) {
        let isGrey = colour.red == colour.green && colour.green == colour.blue
        channels = model.channels
        spreads = channels == 2 && !isGrey
        self.model = channels == 2 && isGrey ? .grey : .rgb
        levels = [colour.red, colour.green, colour.blue].prefix(self.model.channels).map(UInt32.init)
        laid = [UInt8](repeating: 0, count: width * levels.count)
    }

    /// Returns `row` without its alpha; valid until the next call.
    mutating func laid(_ row: Span<UInt8>) -> [UInt8] {
        let (channels, pixels, made, spreads) = (channels, row.count / channels, levels.count, spreads)
        precondition(laid.count == pixels * made, "a row of another width")
        // Checked above, once per row.
        unsafe laid.withUnsafeMutableBufferPointer { laid in
            unsafe row.withUnsafeBufferPointer { row in
                for pixel in 0..<pixels {
                    let alpha = unsafe UInt32(row[pixel * channels + channels - 1])
                    for channel in 0..<made {
                        let sample = unsafe UInt32(row[pixel * channels + (spreads ? 0 : channel)])
                        let sum = sample * alpha + levels[channel] * (255 - alpha) + 127
                        unsafe laid[pixel * made + channel] = UInt8(truncatingIfNeeded: sum / 255)
                    }
                }
            }
        }
        return laid
    }
}

/// Lays rows out as the pixels of a bitmap.
final class BitmapRows {
    private let size: PixelSize
    private let model: SampleLayout.Model
    private var rgba: [UInt8]
    private var filled = 0

    init(_ size: PixelSize, _ model: SampleLayout.Model) {
        self.size = size
        self.model = model
        rgba = [UInt8](repeating: 255, count: size.pixelCount * 4)
    }

    /// Takes the next row.
    func write(_ row: Span<UInt8>) {
        let (channels, hasAlpha) = (model.channels, model.hasAlpha)
        let (green, blue) = channels < 3 ? (0, 0) : (1, 2)
        let (start, end) = (filled, filled + size.width * 4)
        precondition(end <= rgba.count && row.count == size.width * channels, "a row too many or too long")
        // Checked above, once per row: a check at each sample would take three times as long.
        unsafe rgba.withUnsafeMutableBufferPointer { rgba in
            unsafe row.withUnsafeBufferPointer { row in
                var from = 0
                for to in stride(from: start, to: end, by: 4) {
                    unsafe rgba[to] = row[from]
                    unsafe rgba[to + 1] = row[from + green]
                    unsafe rgba[to + 2] = row[from + blue]
                    if hasAlpha { unsafe rgba[to + 3] = row[from + channels - 1] }
                    from += channels
                }
            }
        }
        filled = end
    }

    /// Returns the pixels after all rows were written.
    func bitmap() -> Bitmap {
        Bitmap(size: size, rgba: rgba)
    }
}
