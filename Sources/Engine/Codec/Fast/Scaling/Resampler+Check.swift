import CalotypeCore

extension Resampler {
    /// Refuses what no picture can be.
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
