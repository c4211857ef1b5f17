import CalotypeCore

/// A part of a canvas that is painted in widths of its own: x runs from 0 to 1, y from 0 to ``height``.
struct ScreenArea {
    let x: Float
    let y: Float
    let width: Float
    /// In widths.
    let height: Float

    /// A part of this area, in its widths.
    func part(_ x: Float, _ y: Float, _ width: Float, _ height: Float) -> ScreenArea {
        ScreenArea(
            x: self.x + x * self.width,
            y: self.y + y * self.width,
            width: width * self.width,
            height: height / width
        )
    }

    /// A box by its top left and its sides.
    func box(_ x: Float, _ y: Float, _ width: Float, _ height: Float, corner: Float = 0) -> Outline {
        .box(
            self.x + (x + width / 2) * self.width,
            self.y + (y + height / 2) * self.width,
            width / 2 * self.width,
            height / 2 * self.width,
            corner: corner * self.width
        )
    }

    func disc(_ x: Float, _ y: Float, _ radius: Float) -> Outline {
        .disc(self.x + x * width, self.y + y * width, radius: radius * width)
    }

    func path(_ points: [SIMD2<Float>], _ stroke: Float) -> Outline {
        .path(points.map { SIMD2(x, y) + $0 * width }, width: stroke * width)
    }

    func polygon(_ points: [SIMD2<Float>], corner: Float = 0) -> Outline {
        .polygon(points.map { SIMD2(x, y) + $0 * width }, corner: corner * width)
    }

    func text(_ text: String, _ x: Float, _ y: Float, _ height: Float, weight: Float = 0.17) -> Outline {
        Lettering.outline(
            text,
            self.x + x * width,
            self.y + y * width,
            height: height * width,
            weight: weight
        )
    }

    /// The whole area as a box.
    func all(corner: Float = 0) -> Outline {
        box(0, 0, 1, height, corner: corner)
    }
}
