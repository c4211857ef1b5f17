import CScaler
import CalotypeCore

/// What a resampler does with its planes, decided from its arguments.
struct ResamplerPlan {
    /// What the samples of the rows that come out mean.
    let model: SampleLayout.Model
    /// The planes to scale; none where rows pass through unchanged.
    let shapes: [PlaneShape]
    /// What becomes of samples before they are filtered as floats.
    let conversion: cscaler_conversion
    private let kept: PixelArea

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
        self.kept = kept
    }

    /// The memory for all of it, in bytes.
    var bytes: Int {
        guard !shapes.isEmpty else { return 0 }
        let planes = shapes.reduce(0) { $0 + $1.bytes }
        // Planes wait for each other with a group or two.
        let joined =
            shapes.count > 1 ? shapes.reduce(0) { $0 + 3 * $1.levelSize } + 3 * shapes[0].levelSize : 0
        return planes + joined + GroupRows.bytes(width: kept.size.width, channels: model.channels)
    }
}

extension Resampler {
    /// Refuses what no picture can be.
    ///
    /// The limit of 2^24 keeps all products of sizes far from overflow.
    static func check(
        _ layout: SampleLayout,
        _ scaled: PixelSize,
        _ kept: PixelArea
    ) throws(CalotypeError) {
        let sizes = layout.planes.map(\.size) + [scaled, kept.size]
        let areSizes = sizes.allSatisfy {
            (1...1 << 24).contains($0.width) && (1...1 << 24).contains($0.height)
        }
        let areInside =
            (0...1 << 24).contains(kept.left) && (0...1 << 24).contains(kept.top)
            && kept.left + kept.size.width <= scaled.width && kept.top + kept.size.height <= scaled.height
        let isJoined = layout.model == .videoYCbCr
        let arePlanes =
            layout.planes.count == (isJoined ? 3 : 1)
            && layout.planes.allSatisfy {
                $0.channels == (isJoined ? 1 : layout.model.channels) && $0.width > 0 && $0.height > 0
            }
        guard areSizes, areInside, arePlanes else {
            throw CalotypeError(
                .encodeFailed,
                "a picture of \(sizes.map(\.description)) cannot be scaled: its sizes do not fit together",
                stage: .decode
            )
        }
    }
}
