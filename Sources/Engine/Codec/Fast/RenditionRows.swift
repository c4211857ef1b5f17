import CalotypeCore

/// The pictures of one transform under construction.
///
/// The decoder's rows are scaled, converted to sRGB and turned upright on their way into the encoders.
final class RenditionRows {
    /// The size of the upright result.
    let size: PixelSize

    private let killSwitch: KillSwitch
    private let resampler: Resampler
    private let conversion: ColourConversion?
    private let outputs: [OutputRows]
    private var turned: TurnedRows?
    private let canvas: CanvasRows?
    /// The memory of the previous converted row, for the next one.
    private var spare: [UInt8] = []

    init(
        _ specs: [PictureSpec],
        _ transform: Transform,
        _ geometry: StoredGeometry,
        of layout: SampleLayout,
        _ source: OpenedSource,
        _ conversion: ColourConversion?,
        _ killSwitch: KillSwitch
    ) throws {
        self.killSwitch = killSwitch
        self.conversion = conversion
        resampler = try Resampler(
            layout.cropped(to: geometry.crop, of: geometry.whole),
            scaled: geometry.scaled,
            kept: geometry.kept,
            isLinearLight: transform.isLinearLight
        )
        let model = resampler.model
        let upright: PixelSize
        if geometry.orientation > 1 {
            let turned = TurnedRows(
                geometry.kept.size,
                orientation: geometry.orientation,
                channels: model.channels
            )
            self.turned = turned
            upright = turned.size
        } else {
            upright = geometry.kept.size
        }
        canvas = geometry.canvas.map {
            CanvasRows($0, width: upright.width, model, transform.edits.background ?? .white)
        }
        size = geometry.canvas?.size ?? upright
        let metadata = MetadataBlocks(of: source, transform.edits.kept)
        outputs = specs.map { [size] spec in
            OutputRows(spec, size, model, source: source.facts.format, killSwitch, metadata)
        }
    }

    /// The time spent in the encoders so far.
    var encoding: Duration { outputs.reduce(.zero) { $0 + $1.encoding } }

    /// Takes the next decoded row of a plane.
    func take(_ row: Span<UInt8>, plane: Int) {
        resampler.take(row, plane: plane) { scaled in
            guard let conversion else { return pass(scaled) }
            var row: [UInt8] = []
            swap(&row, &spare)
            unsafe scaled.withUnsafeBufferPointer { unsafe row.replaceSubrange(0..., with: $0) }
            convert(&row, conversion)
            pass(row.span)
            swap(&row, &spare)
        }
    }

    /// Ends the encoders, and returns the result for each spec.
    ///
    /// - Throws: `CancellationError`.
    func finish() throws -> [(
        spec: PictureSpec, content: Result<CodedPicture.Content, CalotypeError>, encoding: Duration
    )] {
        turned?.forEachRow(write)
        turned = nil
        if let canvas { writeBlank(canvas.rowsBelow, canvas) }
        return try outputs.map { output in
            (output.spec, try content(of: output), output.encoding)
        }
    }

    /// The result of an output; cancellation ends all of them.
    private func content(
        of output: OutputRows
    ) throws -> Result<CodedPicture.Content, CalotypeError> {
        do {
            return .success(try output.finish())
        } catch let error as CalotypeError {
            try killSwitch.check()
            return .failure(error)
        }
    }

    private func convert(_ row: inout [UInt8], _ conversion: ColourConversion) {
        var samples = row.mutableSpan
        conversion.convert(&samples)
    }

    private func pass(_ row: Span<UInt8>) {
        if turned == nil {
            write(row)
        } else {
            turned?.append(row)
        }
    }

    /// Writes an upright row, on the canvas if there is one.
    private func write(_ row: Span<UInt8>) {
        guard let canvas else { return writeToOutputs(row) }
        writeBlank(canvas.takeRowsAbove(), canvas)
        let laid = canvas.laid(row)
        writeToOutputs(laid.span)
    }

    private func writeBlank(_ count: Int, _ canvas: CanvasRows) {
        let blank = canvas.blank
        for _ in 0..<count { writeToOutputs(blank.span) }
    }

    private func writeToOutputs(_ row: Span<UInt8>) {
        for output in outputs { output.write(row) }
    }
}

/// Lays rows on a canvas of one level of grey.
final class CanvasRows {
    /// A row of nothing but canvas.
    let blank: [UInt8]

    private let canvas: Geometry.Canvas
    private let left: Int
    private var row: [UInt8]
    private var written = 0
    private var hasBegun = false

    /// Prepares for rows of `width` pixels of `model`, in the middle of rows of `colour`.
    init(_ canvas: Geometry.Canvas, width: Int, _ model: SampleLayout.Model, _ colour: Colour) {
        self.canvas = canvas
        let channels = model.channels
        left = canvas.left * channels
        var blank = [UInt8](repeating: colour.red, count: canvas.size.width * channels)
        if model.hasAlpha {
            for alpha in stride(from: channels - 1, to: blank.count, by: channels) { blank[alpha] = 255 }
        }
        self.blank = blank
        row = blank
    }

    /// The number of blank rows after those written so far.
    var rowsBelow: Int { canvas.size.height - written }

    /// Returns the number of blank rows above the picture, once.
    func takeRowsAbove() -> Int {
        guard !hasBegun else { return 0 }
        hasBegun = true
        written = canvas.top
        return canvas.top
    }

    /// Returns a row of the picture with the canvas at both sides.
    func laid(_ picture: Span<UInt8>) -> [UInt8] {
        written += 1
        unsafe picture.withUnsafeBufferPointer {
            unsafe row.replaceSubrange(left..<left + $0.count, with: $0)
        }
        return row
    }
}

/// Collects the rows of a picture as stored and returns those of the upright one (EXIF orientation 2 to 8).
struct TurnedRows {
    /// The size of the upright picture.
    let size: PixelSize

    private let stored: PixelSize
    private let orientation: Int
    private let channels: Int
    private var pixels: [UInt8] = []

    /// Prepares for a picture whose stored size is `stored`.
    init(_ stored: PixelSize, orientation: Int, channels: Int) {
        self.stored = stored
        self.orientation = orientation
        self.channels = channels
        size = orientation >= 5 ? stored.transposed : stored
        pixels.reserveCapacity(stored.pixelCount * channels)
    }

    /// Takes the next stored row.
    mutating func append(_ row: Span<UInt8>) {
        unsafe row.withUnsafeBufferPointer { unsafe pixels.append(contentsOf: $0) }
    }

    /// Passes each upright row to `body`, from the top.
    func forEachRow(_ body: (Span<UInt8>) throws -> Void) rethrows {
        var row = [UInt8](repeating: 0, count: size.width * channels)
        for y in 0..<size.height {
            let (first, step) = way(y)
            turn(&row, from: first * channels, by: step * channels)
            try body(row.span)
        }
    }

    private func turn(_ row: inout [UInt8], from start: Int, by step: Int) {
        let (channels, width) = (channels, size.width)
        precondition(pixels.count == stored.pixelCount * channels, "rows are missing")
        // The path of each row lies within the picture.
        unsafe row.withUnsafeMutableBufferPointer { row in
            unsafe pixels.withUnsafeBufferPointer { pixels in
                for x in 0..<width {
                    for channel in 0..<channels {
                        unsafe row[x * channels + channel] = pixels[start + x * step + channel]
                    }
                }
            }
        }
    }

    /// The stored pixel that begins upright row `y`, and the step from each pixel of that row to the next.
    private func way(_ y: Int) -> (first: Int, step: Int) {
        let (w, h) = (stored.width, stored.height)
        switch orientation {
        case 2: return (y * w + w - 1, -1)
        case 3: return ((h - 1 - y) * w + w - 1, -1)
        case 4: return ((h - 1 - y) * w, 1)
        case 5: return (y, w)
        case 6: return ((h - 1) * w + y, -w)
        case 7: return ((h - 1) * w + w - 1 - y, -w)
        case 8: return (w - 1 - y, w)
        default: return (y * w, 1)
        }
    }
}
