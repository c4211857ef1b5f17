import CalotypeCore

/// One result in the making: the finished rows go into its encoder, or become pixels.
final class OutputRows {
    /// Where rows end up.
    private enum Sink {
        case encoder(any RowEncoder, ImageFormat)
        case pixels(BitmapRows)
        /// For a format that only libvips encodes.
        case library(BitmapRows, VipsEncoder)
        /// It has failed; the others go on.
        case failed(CalotypeError)
    }

    let spec: PictureSpec
    /// How long encoding took so far.
    private(set) var encoding = Duration.zero

    private var sink: Sink
    private var ground: WhiteGround?
    private let killSwitch: KillSwitch
    private let clock = ContinuousClock()

    /// Prepares for rows of `model`, of a picture of `size`; `source` is the format that `.original` stands for.
    init(
        _ spec: PictureSpec,
        _ size: PixelSize,
        _ model: SampleLayout.Model,
        source: ImageFormat,
        _ killSwitch: KillSwitch
    ) {
        self.spec = spec
        self.killSwitch = killSwitch
        do throws(CalotypeError) {
            sink = try Self.sink(spec, size, model, source: source, killSwitch)
            if case .encoder(let encoder, _) = sink, model.hasAlpha, !encoder.model.hasAlpha {
                ground = WhiteGround(width: size.width, channels: model.channels)
            }
        } catch {
            sink = .failed(error)
        }
    }

    /// Takes the next row.
    func write(_ row: Span<UInt8>) {
        let start = clock.now
        defer { encoding += clock.now - start }
        switch sink {
        case .failed: return
        case .pixels(let rows), .library(let rows, _): rows.write(row)
        case .encoder(let encoder, _):
            do throws(CalotypeError) {
                if let laid = ground?.laid(row) {
                    try encoder.write(laid.span)
                } else {
                    try encoder.write(row)
                }
            } catch {
                sink = .failed(error)
            }
        }
    }

    /// Gives the bytes or pixels, when all rows were written.
    ///
    /// - Throws: `encode_failed`, `decoder_unavailable`; `CancellationError`.
    func finish() throws -> CodedPicture.Content {
        let start = clock.now
        defer { encoding += clock.now - start }
        try killSwitch.check()
        switch sink {
        case .failed(let error): throw error
        case .pixels(let rows): return .pixels(rows.bitmap())
        case .library(let rows, let encoder):
            return .encoded(try encoder.encode(rows.bitmap(), killSwitch), encoder.format)
        case .encoder(let encoder, let format): return .encoded(try encoder.finish(), format)
        }
    }

    private static func sink(
        _ spec: PictureSpec,
        _ size: PixelSize,
        _ model: SampleLayout.Model,
        source: ImageFormat,
        _ killSwitch: KillSwitch
    ) throws(CalotypeError) -> Sink {
        guard case .encoded(let rendition) = spec else { return .pixels(BitmapRows(size, model)) }
        let settings = VipsEncoder(rendition.output, source: source)
        guard
            let encoder = try FastEncoders.encoder(
                settings.format,
                settings.quality,
                size,
                model,
                rendition.transform.effort,
                killSwitch
            )
        else {
            return .library(BitmapRows(size, model), settings)
        }
        return .encoder(encoder, settings.format)
    }
}
