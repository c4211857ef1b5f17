import CalotypeCScaler
import CalotypeCore

/// Scales the rows of one decode to one rendition's size, with Lanczos-3.
///
/// Samples with alpha are multiplied by it before they are filtered and divided after; a pixel without any alpha comes out
/// black. Where the size does not change, rows pass through unchanged.
final class Resampler {
    /// What the samples of the rows that come out mean: `rgb` for `videoYCbCr`, else as they go in.
    let model: SampleLayout.Model
    /// The memory that it holds, in bytes.
    let bytes: Int

    private let way: Way

    private enum Way {
        case unchanged(RowCut)
        case plane(PlaneScaler, GroupRows)
        case joined(PlaneJoin)
    }

    /// - Parameters:
    ///   - layout: The rows that will come, and which part of them is wanted.
    ///   - scaled: The size to which that part is scaled.
    ///   - kept: The part of it that is given out.
    ///   - isLinearLight: Whether colours are brought to linear light before they are mixed. It has no effect on
    ///     `videoYCbCr`, whose planes are scaled before their samples become colours: whoever wants linear light decodes to
    ///     `rgb`.
    ///   - kernels: The loops that do it; all give the same rows, but for one level at most.
    /// - Throws: `encode_failed` where there is not enough memory, or where the sizes are not those of pictures.
    init(
        _ layout: SampleLayout,
        scaled: PixelSize,
        kept: PixelArea,
        isLinearLight: Bool,
        kernels: ScalerKernels = .fastest
    ) throws(CalotypeError) {
        try Self.check(layout, scaled, kept)
        let plan = ResamplerPlan(layout, scaled: scaled, kept: kept, isLinearLight: isLinearLight)
        model = plan.model
        bytes = plan.bytes
        let loops = kernels.loops
        switch plan.shapes.count {
        case 0: way = .unchanged(RowCut(plan.cut, channels: model.channels))
        case 1:
            let shape = plan.shapes[0]
            let weights = try PlaneWeights(shape)
            way = .plane(
                try PlaneScaler(shape, weights: weights, conversion: plan.conversion, kernels: loops),
                try GroupRows(width: kept.size.width, channels: model.channels, kernels: loops)
            )
        default: way = .joined(try PlaneJoin(plan, kernels: loops))
        }
    }

    /// The memory that a resampler of these arguments holds, in bytes.
    static func bytes(
        _ layout: SampleLayout,
        scaled: PixelSize,
        kept: PixelArea,
        isLinearLight: Bool
    ) -> Int {
        guard (try? check(layout, scaled, kept)) != nil else { return 0 }
        return ResamplerPlan(layout, scaled: scaled, kept: kept, isLinearLight: isLinearLight).bytes
    }

    /// Takes the next row of a plane; hands each output row that is complete by it to `body`, samples interleaved.
    ///
    /// Output rows come in groups of up to eight. Rows after the last are left alone.
    func take(_ row: Span<UInt8>, plane: Int, _ body: (Span<UInt8>) throws -> Void) rethrows {
        switch way {
        case .unchanged(let cut): try cut.take(row, body)
        case .plane(let scaler, let rows):
            try scaler.take(row) { levels, count in try rows.give(levels, count, body) }
        case .joined(let join): try join.take(row, plane: plane, body)
        }
    }
}
