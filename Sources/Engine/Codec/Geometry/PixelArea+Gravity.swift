import CalotypeCore

extension PixelArea {
    /// The place of a picture of size `inner` in an area of size `outer`; within it, unless it `mayOverhang`.
    ///
    /// Halves are rounded to even numbers, and what is left over in the middle goes to the left and the top: as imgproxy
    /// does.
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
