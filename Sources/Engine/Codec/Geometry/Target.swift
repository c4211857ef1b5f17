import CalotypeCore

/// The box on the result, in pixels; a side of 0 follows from the picture.
struct Target {
    private let width: Int
    private let height: Int

    init(_ transform: Transform, _ scale: ScalePlan) {
        let (box, zoom) = (transform.mode == .none ? .zero : transform.box, transform.edits.zoom)
        width = Self.side(box.width, scale.pixelRatio * zoom.x)
        height = Self.side(box.height, scale.pixelRatio * zoom.y)
    }

    /// The size to which a picture scaled to `scaled` is cut.
    func kept(of scaled: PixelSize, _ transform: Transform) -> PixelSize {
        if let middle = transform.edits.middle {
            return PixelSize(
                width: min(middle.width, scaled.width),
                height: min(middle.height, scaled.height)
            )
        }
        guard transform.mode != .none else { return scaled }
        let (w, h) = (Double(width) / Double(scaled.width), Double(height) / Double(scaled.height))
        // If the box is larger than the picture, cut to its aspect ratio instead of its sides.
        if transform.mode == .fill, !transform.enlarges, width > 0, height > 0, max(w, h) > 1, w != h {
            let (box, pixels) = (
                (Double(width), Double(height)), (Double(scaled.width), Double(scaled.height))
            )
            return w > h
                ? PixelSize(width: scaled.width, height: Rounding.side(pixels.0 * box.1 / box.0))
                : PixelSize(width: Rounding.side(pixels.1 * box.0 / box.1), height: scaled.height)
        }
        return PixelSize(
            width: width == 0 ? scaled.width : min(width, scaled.width),
            height: height == 0 ? scaled.height : min(height, scaled.height)
        )
    }

    /// The canvases under a picture of `size`.
    func canvases(around size: PixelSize, _ edits: PictureEdits, _ pixelRatio: Double) -> [Geometry.Canvas] {
        var canvases: [Geometry.Canvas] = []
        var size = size
        func lay(on larger: PixelSize, _ gravity: Gravity) {
            guard larger != size else { return }
            let place = PixelArea(size, in: larger, gravity, pixelRatio: pixelRatio, mayOverhang: true)
            canvases.append(Geometry.Canvas(size: larger, left: place.left, top: place.top))
            size = larger
        }
        let inAspect = aspect(of: size)
        if let gravity = edits.extended {
            lay(on: size.orLarger(PixelSize(width: width, height: height)), gravity)
        }
        if let gravity = edits.extendedToAspectRatio { lay(on: size.orLarger(inAspect), gravity) }
        if let padded = Self.padded(size, edits.padding, pixelRatio) { canvases.append(padded) }
        return canvases
    }

    /// The smallest size of the box's aspect ratio around `size`.
    private func aspect(of size: PixelSize) -> PixelSize {
        guard width > 0, height > 0 else { return size }
        let (w, h) = (Double(width) / Double(size.width), Double(height) / Double(size.height))
        if h > w {
            let height = Double(size.width) * Double(height) / Double(width)
            return PixelSize(width: size.width, height: Rounding.side(height))
        }
        guard w > h else { return size }
        return PixelSize(
            width: Rounding.side(Double(size.height) * Double(width) / Double(height)),
            height: size.height
        )
    }

    private static func padded(
        _ size: PixelSize,
        _ padding: Padding,
        _ pixelRatio: Double
    ) -> Geometry.Canvas? {
        let (left, top) = (pixels(padding.left, pixelRatio), pixels(padding.top, pixelRatio))
        let padded = PixelSize(
            width: size.width + left + pixels(padding.right, pixelRatio),
            height: size.height + top + pixels(padding.bottom, pixelRatio)
        )
        return padded == size ? nil : Geometry.Canvas(size: padded, left: left, top: top)
    }

    private static func pixels(_ padding: Int, _ pixelRatio: Double) -> Int {
        Rounding.even(Double(padding) * pixelRatio)
    }

    private static func side(_ side: Int, _ factor: Double) -> Int {
        side == 0 ? 0 : Rounding.side(Double(side) * factor)
    }
}

extension PixelSize {
    static let zero = PixelSize(width: 0, height: 0)

    /// The larger of both widths by the larger of both heights.
    fileprivate func orLarger(_ other: PixelSize) -> PixelSize {
        PixelSize(width: max(width, other.width), height: max(height, other.height))
    }
}

/// The factors for scaling a picture: source pixels per result pixel.
struct ScalePlan {
    /// The factor across.
    private(set) var x: Double
    /// The factor down.
    private(set) var y: Double
    /// Result pixels for one pixel of the box: less than requested if the picture must not be enlarged.
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

    /// Shrinks the result by `factor`, for a picture of `size`, down to one pixel.
    mutating func shrink(by factor: Double, _ size: PixelSize) {
        x = min(x * factor, Double(size.width))
        y = min(y * factor, Double(size.height))
        pixelRatio /= factor
    }

    /// The factors that fit a picture of `size` into the box, make it cover the box, or stretch it.
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
            // A box that the picture does not fill is entirely visible in an extension.
            if !isExtended { pixelRatio /= least }
        }
        pixelRatio = min(pixelRatio, min(x, y))
    }

    /// Keeps the aspect ratio while the picture grows to the minimum sides.
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
    /// Whether a picture of `size` fills `box` and is cut at its edges.
    func fills(_ box: PixelSize, with size: PixelSize) -> Bool {
        switch self {
        case .fill, .fillPartly: true
        case .auto: (size.width >= size.height) == (box.width >= box.height)
        case .none, .fit, .stretch: false
        }
    }
}
