import CalotypeCore

/// A rectangle of pixels.
struct PixelArea: Hashable {
    var left: Int
    var top: Int
    var size: PixelSize

    /// Maps this area of a picture of size `whole` to the picture scaled to `size`; at least one pixel.
    func scaled(from whole: PixelSize, to size: PixelSize) -> PixelArea {
        guard whole != size else { return self }
        let (x, width) = Self.scaled(left, self.size.width, from: whole.width, to: size.width)
        let (y, height) = Self.scaled(top, self.size.height, from: whole.height, to: size.height)
        return PixelArea(left: x, top: y, size: PixelSize(width: width, height: height))
    }

    private static func scaled(_ start: Int, _ length: Int, from whole: Int, to side: Int) -> (Int, Int) {
        let factor = Double(side) / Double(whole)
        let first = min(side - 1, Rounding.pixels(Double(start) * factor))
        let end = min(side, Rounding.pixels(Double(start + length) * factor))
        return (first, max(1, end - first))
    }

    /// Maps this area of an upright picture of size `upright` to the picture as stored with `orientation`.
    func stored(in upright: PixelSize, orientation: Int) -> PixelArea {
        let right = upright.width - left - size.width
        let bottom = upright.height - top - size.height
        switch orientation {
        case 2: return PixelArea(left: right, top: top, size: size)
        case 3: return PixelArea(left: right, top: bottom, size: size)
        case 4: return PixelArea(left: left, top: bottom, size: size)
        case 5: return PixelArea(left: top, top: left, size: size.transposed)
        case 6: return PixelArea(left: top, top: right, size: size.transposed)
        case 7: return PixelArea(left: bottom, top: right, size: size.transposed)
        case 8: return PixelArea(left: bottom, top: left, size: size.transposed)
        default: return self
        }
    }
}

extension PixelArea {
    /// Creates the area of a picture of size `inner` in an area of size `outer`.
    ///
    /// It lies inside, unless it `mayOverhang`. Halves are rounded to even numbers, and an odd remainder in
    /// the middle goes to the left and the top, as in imgproxy.
    init(
        _ inner: PixelSize,
        in outer: PixelSize,
        _ gravity: Gravity,
        pixelRatio: Double,
        mayOverhang: Bool = false
    ) {
        let start: (x: Int, y: Int)
        switch gravity {
        case .attention: start = Self.start(inner, outer, .centre, (0, 0))
        case .focus(let x, let y):
            start = (
                Rounding.even(x * Double(outer.width)) - inner.width / 2,
                Rounding.even(y * Double(outer.height)) - inner.height / 2
            )
        case .place(let place, let x, let y):
            let offset = (Self.offset(x, outer.width, pixelRatio), Self.offset(y, outer.height, pixelRatio))
            start = Self.start(inner, outer, place, offset)
        }
        let (right, bottom) = (outer.width - inner.width, outer.height - inner.height)
        let x = mayOverhang ? 1 - inner.width...outer.width - 1 : 0...max(0, right)
        let y = mayOverhang ? 1 - inner.height...outer.height - 1 : 0...max(0, bottom)
        self.init(left: start.x.clamped(to: x), top: start.y.clamped(to: y), size: inner)
    }

    private static func start(
        _ inner: PixelSize,
        _ outer: PixelSize,
        _ place: Gravity.Place,
        _ offset: (x: Int, y: Int)
    ) -> (Int, Int) {
        let (right, bottom) = (outer.width - inner.width, outer.height - inner.height)
        let x =
            switch place {
            case .west, .northWest, .southWest: offset.x
            case .east, .northEast, .southEast: right - offset.x
            case .centre, .north, .south: middle(right) + offset.x
            }
        let y =
            switch place {
            case .north, .northEast, .northWest: offset.y
            case .south, .southEast, .southWest: bottom - offset.y
            case .centre, .east, .west: middle(bottom) + offset.y
            }
        return (x, y)
    }

    private static func middle(_ rest: Int) -> Int { Rounding.even(Double(rest + 1) / 2) }

    private static func offset(_ offset: Double, _ side: Int, _ pixelRatio: Double) -> Int {
        Rounding.even(abs(offset) >= 1 ? offset * pixelRatio : offset * Double(side))
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

/// The rules for rounding sizes and positions to whole pixels.
enum Rounding {
    /// Beyond every limit of pixels, and far from overflow.
    private static let most = 1e9
    /// More than the error of a few divisions, less than the distance of a quotient of two sides from a half.
    private static let lost = 1e-7

    /// The nearest number of pixels, halves up; at least 1.
    static func side(_ length: Double) -> Int { max(1, pixels(length)) }

    /// The nearest number of pixels, halves up.
    static func pixels(_ length: Double) -> Int { whole((length + 0.5 + lost).rounded(.down)) }

    /// The nearest number of pixels, halves to the even one.
    static func even(_ length: Double) -> Int { whole(length.rounded(.toNearestOrEven)) }

    private static func whole(_ length: Double) -> Int {
        length.isNaN ? 0 : Int(max(-most, min(most, length)))
    }
}
