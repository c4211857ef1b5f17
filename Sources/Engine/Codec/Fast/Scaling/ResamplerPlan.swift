import CalotypeCScaler
import CalotypeCore

/// What a resampler does with its planes, decided from its arguments.
struct ResamplerPlan {
    /// What the samples of the rows that come out mean.
    let model: SampleLayout.Model
    /// The planes to scale; none where rows pass through unchanged.
    let shapes: [PlaneShape]
    /// What becomes of samples before they are filtered as floats.
    let conversion: cscaler_conversion
    /// The part of rows that pass through unchanged.
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

    /// The memory for all of it, in bytes.
    var bytes: Int {
        guard !shapes.isEmpty else { return 0 }
        let planes = shapes.reduce(0) { $0 + $1.bytes }
        // Planes wait for each other with a group or two.
        let joined =
            shapes.count > 1 ? shapes.reduce(0) { $0 + 6 * $1.levelCount } + 6 * shapes[0].levelCount : 0
        return planes + joined + GroupRows.bytes(width: cut.size.width, channels: model.channels)
    }
}
