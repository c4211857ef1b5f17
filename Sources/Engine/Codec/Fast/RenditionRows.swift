import CalotypeCore

/// The pictures of one transform in the making: the decoder's rows scaled, in sRGB and upright, on their way into the
/// encoders.
final class RenditionRows {
    /// The size of the upright result.
    let size: PixelSize

    private let killSwitch: KillSwitch
    private let resampler: Resampler
    private let conversion: ColourConversion?
    private let outputs: [OutputRows]
    private var turned: TurnedRows?
    /// The memory of the last converted row, for the next.
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
        if geometry.orientation > 1 {
            let turned = TurnedRows(
                geometry.kept.size,
                orientation: geometry.orientation,
                channels: model.channels
            )
            self.turned = turned
            size = turned.size
        } else {
            size = geometry.kept.size
        }
        let metadata = MetadataBlocks(of: source, transform.edits.kept)
        outputs = specs.map { [size] spec in
            OutputRows(spec, size, model, source: source.facts.format, killSwitch, metadata)
        }
    }

    /// How long the encoders took so far.
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

    /// Ends the encoders, and gives what came of each spec.
    ///
    /// - Throws: `CancellationError`.
    func finish() throws -> [(
        spec: PictureSpec, content: Result<CodedPicture.Content, CalotypeError>, encoding: Duration
    )] {
        turned?.forEachRow { row in
            for output in outputs { output.write(row) }
        }
        turned = nil
        return try outputs.map { output in
            (output.spec, try content(of: output), output.encoding)
        }
    }

    /// What came of an output; cancellation ends all of them.
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
            for output in outputs { output.write(row) }
        } else {
            turned?.append(row)
        }
    }
}
