import CalotypeCore

/// By how much a picture is scaled: how many pixels of the source become one of the result.
struct ScalePlan {
    /// Across.
    private(set) var x: Double
    /// Down.
    private(set) var y: Double
    /// Pixels of the result for one of the box: less than was asked for where a picture would be enlarged that must not.
    private(set) var pixelRatio: Double

    /// Plans for a picture of `size`.
    init(_ transform: Transform, of size: PixelSize) {
        let edits = transform.edits
        (x, y) = Self.factors(transform, of: size)
        pixelRatio = edits.pixelRatio
        x /= edits.zoom.x
        y /= edits.zoom.y
        if !transform.enlarges { stopEnlarging(isExtended: edits.extended != nil) }
        heed(edits.least, of: size)
        x = min(x / pixelRatio, Double(size.width))
        y = min(y / pixelRatio, Double(size.height))
    }

    /// Makes the result smaller by `factor`, of a picture of `size`, down to one pixel.
    mutating func shrink(by factor: Double, _ size: PixelSize) {
        x = min(x * factor, Double(size.width))
        y = min(y * factor, Double(size.height))
        pixelRatio /= factor
    }

    /// The factors that bring a picture of `size` into the box, over it, or to it.
    private static func factors(_ transform: Transform, of size: PixelSize) -> (Double, Double) {
        let box = transform.box
        guard transform.mode != .none else { return (1, 1) }
        let x = box.width == 0 ? 1 : Double(size.width) / Double(box.width)
        let y = box.height == 0 ? 1 : Double(size.height) / Double(box.height)
        if transform.mode == .stretch { return (x, y) }
        if box.width == 0 { return (y, y) }
        if box.height == 0 { return (x, x) }
        let factor = transform.mode.fills(box, with: size) ? min(x, y) : max(x, y)
        return (factor, factor)
    }

    private mutating func stopEnlarging(isExtended: Bool) {
        let least = min(x, y)
        if least < 1 {
            x /= least
            y /= least
            // A box that the picture does not reach is all there in an extension.
            if !isExtended { pixelRatio /= least }
        }
        pixelRatio = min(pixelRatio, min(x, y))
    }

    /// Keeps the aspect ratio while the picture grows to the least sides.
    private mutating func heed(_ least: PixelSize, of size: PixelSize) {
        if least.width > 0 {
            let factor = Double(size.width) / Double(least.width)
            if factor < x { (x, y) = (factor, y * factor / x) }
        }
        if least.height > 0 {
            let factor = Double(size.height) / Double(least.height)
            if factor < y { (x, y) = (x * factor / y, factor) }
        }
    }
}

extension Transform.Mode {
    /// Whether a picture of `size` fills `box` and what stands out is cut off.
    func fills(_ box: PixelSize, with size: PixelSize) -> Bool {
        switch self {
        case .fill, .fillPartly: true
        case .auto: (size.width >= size.height) == (box.width >= box.height)
        case .none, .fit, .stretch: false
        }
    }
}
