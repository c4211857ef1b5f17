import CalotypeCPictures
import CalotypeCore

/// Scales the rows of one decode to one rendition's size, with Lanczos-3.
///
/// Samples with alpha are multiplied by it before filtering and divided afterwards; a pixel without any alpha
/// becomes black. If the size does not change, rows pass through unchanged.
final class Resampler {
    /// What the samples of the output rows mean: `rgb` for `videoYCbCr`, otherwise the same as the input.
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
    ///   - layout: The input rows, and which part of them is wanted.
    ///   - scaled: The size of that part after scaling.
    ///   - kept: The part of the scaled picture to return.
    ///   - isLinearLight: Whether colours are converted to linear light before they are mixed. It has no
    ///     effect on `videoYCbCr`, whose planes are scaled before their samples become colours: for linear
    ///     light, decode to `rgb`.
    ///   - kernels: The loops to use; all produce the same rows, except for differences of one level.
    /// - Throws: `encode_failed` if memory runs out, or if the sizes are not those of pictures.
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

    /// The memory that a resampler with these arguments holds, in bytes.
    static func bytes(
        _ layout: SampleLayout,
        scaled: PixelSize,
        kept: PixelArea,
        isLinearLight: Bool
    ) -> Int {
        guard (try? check(layout, scaled, kept)) != nil else { return 0 }
        return ResamplerPlan(layout, scaled: scaled, kept: kept, isLinearLight: isLinearLight).bytes
    }

    /// Takes the next row of a plane, and passes each output row that it completes to `body`, with
    /// interleaved samples.
    ///
    /// Output rows are returned in groups of up to eight. Rows after the last are ignored.
    func take(_ row: Span<UInt8>, plane: Int, _ body: (Span<UInt8>) throws -> Void) rethrows {
        switch way {
        case .unchanged(let cut): try cut.take(row, body)
        case .plane(let scaler, let rows):
            try scaler.take(row) { levels, count in try rows.give(levels, count, body) }
        case .joined(let join): try join.take(row, plane: plane, body)
        }
    }
}

extension Resampler {
    /// Refuses sizes that no picture can have.
    ///
    /// - Throws: `encode_failed`.
    static func check(
        _ layout: SampleLayout,
        _ scaled: PixelSize,
        _ kept: PixelArea
    ) throws(CalotypeError) {
        guard isPicture(scaled), isPicture(kept.size), isInside(kept, scaled), arePlanes(layout) else {
            throw CalotypeError(
                .encodeFailed,
                "a picture cannot be scaled to \(scaled) with \(kept.size) at (\(kept.left), \(kept.top)) kept of it",
                stage: .decode
            )
        }
    }

    /// The limit keeps all products of sizes far from overflow.
    private static func isPicture(_ size: PixelSize) -> Bool {
        let sides = 1...1 << 24
        return sides.contains(size.width) && sides.contains(size.height)
    }

    private static func isInside(_ area: PixelArea, _ size: PixelSize) -> Bool {
        let rest = PixelSize(width: size.width - area.size.width, height: size.height - area.size.height)
        guard rest.width >= 0, rest.height >= 0 else { return false }
        return (0...rest.width).contains(area.left) && (0...rest.height).contains(area.top)
    }

    private static func arePlanes(_ layout: SampleLayout) -> Bool {
        let isJoined = layout.model == .videoYCbCr
        let channels = isJoined ? 1 : layout.model.channels
        guard layout.planes.count == (isJoined ? 3 : 1) else { return false }
        return layout.planes.allSatisfy { plane in
            plane.channels == channels && isPicture(plane.size) && plane.width > 0 && plane.height > 0
                && plane.left >= 0 && plane.left < Double(plane.size.width)
                && plane.top >= 0 && plane.top < Double(plane.size.height)
        }
    }
}

/// How a resampler handles its planes, decided from its arguments.
struct ResamplerPlan {
    /// What the samples of the output rows mean.
    let model: SampleLayout.Model
    /// The planes to scale; none if rows pass through unchanged.
    let shapes: [PlaneShape]
    /// The conversion of samples before they are filtered as floats.
    let conversion: cscaler_conversion
    /// The part to keep of rows that pass through unchanged.
    let cut: PixelArea

    init(_ layout: SampleLayout, scaled: PixelSize, kept: PixelArea, isLinearLight: Bool) {
        let isJoined = layout.model == .videoYCbCr
        let hasAlpha = layout.model.hasAlpha
        let isLinear = isLinearLight && !isJoined
        let shapes = layout.planes.map {
            PlaneShape($0, scaled: scaled, kept: kept, isFixed: !hasAlpha && !isLinear)
        }
        let isUnchanged = !isJoined && shapes.allSatisfy { $0.rows.isIdentity && $0.columns.isIdentity }
        model = isJoined ? .rgb : layout.model
        conversion = cscaler_conversion(
            channels: Int32(layout.planes.first?.channels ?? 1),
            has_alpha: hasAlpha ? 1 : 0,
            is_linear: isLinear ? 1 : 0
        )
        self.shapes = isUnchanged ? [] : shapes
        cut = PixelArea(
            left: kept.left + (shapes.first?.columns.covered.lowerBound ?? 0),
            top: kept.top + (shapes.first?.rows.covered.lowerBound ?? 0),
            size: kept.size
        )
    }

    /// The memory for everything, in bytes.
    var bytes: Int {
        guard !shapes.isEmpty else { return 0 }
        let planes = shapes.reduce(0) { $0 + $1.bytes }
        // Planes wait for each other with a group or two.
        let joined =
            shapes.count > 1 ? shapes.reduce(0) { $0 + 6 * $1.levelCount } + 6 * shapes[0].levelCount : 0
        return planes + joined + GroupRows.bytes(width: cut.size.width, channels: model.channels)
    }
}

/// Passes on the kept part of rows that are not scaled.
final class RowCut {
    private let area: PixelArea
    private let channels: Int
    private var taken = 0

    init(_ area: PixelArea, channels: Int) {
        self.area = area
        self.channels = channels
    }

    /// Passes the kept part of the next row to `body`, if the row is kept.
    func take(_ row: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void) rethrows {
        let index = taken
        taken += 1
        guard (area.top..<area.top + area.size.height).contains(index) else { return }
        let first = area.left * channels
        try body(row.extracting(first..<first + area.size.width * channels))
    }
}

/// The loops that scale: tests compare them, everything else uses the fastest.
enum ScalerKernels: CaseIterable {
    /// Loops that run on every processor of this kind.
    case baseline
    /// Loops that suit this processor best.
    case fastest

    /// The loops.
    var loops: cscaler_kernels {
        switch self {
        case .baseline: unsafe cscaler_baseline().pointee
        case .fastest: unsafe cscaler_fastest().pointee
        }
    }
}
