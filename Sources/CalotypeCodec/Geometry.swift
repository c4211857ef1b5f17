package import CalotypeCore

/// How a picture comes from its size to the size that a transform asks for; pure arithmetic on integers.
package struct Geometry: Hashable {
    /// The size of the whole picture after scaling, upright.
    let scaled: PixelSize
    /// The part of the scaled picture that is kept.
    let kept: PixelArea

    /// The size of the result.
    package var output: PixelSize { kept.size }
    /// Whether something is cut off.
    var isCut: Bool { kept.size != scaled }

    /// Plans `transform` for an upright picture of `size`, at least one pixel each way.
    package init(_ transform: Transform, of size: PixelSize) {
        let box = transform.box
        // Products of two edges: a comparison of aspect ratios without division.
        let isWider = size.width * box.height >= size.height * box.width
        switch transform.mode {
        case .none:
            self.init(scaled: size, kept: size)
        case .stretch:
            self.init(scaled: box, kept: box)
        case .fit:
            let isLarger = size.width > box.width || size.height > box.height
            let scaled = isLarger || transform.enlarges ? Self.scale(size, to: box, byWidth: isWider) : size
            self.init(scaled: scaled, kept: scaled)
        case .fill, .fillPartly, .auto:
            let isLarger = size.width >= box.width && size.height >= box.height
            if isLarger || transform.enlarges {
                self.init(scaled: Self.scale(size, to: box, byWidth: !isWider), kept: box)
            } else {
                self.init(scaled: size, kept: Self.scale(box, to: size, byWidth: !isWider))
            }
        }
    }

    private init(scaled: PixelSize, kept: PixelSize) {
        self.scaled = PixelSize(width: max(scaled.width, kept.width), height: max(scaled.height, kept.height))
        self.kept = PixelArea(
            left: (self.scaled.width - kept.width) / 2,
            top: (self.scaled.height - kept.height) / 2,
            size: kept
        )
    }

    /// The largest of 8, 4 and 2 by which a decoder may shrink a picture of `size` so that the resampler still gets
    /// at least twice `target` each way, or 1.
    static func shrink(_ size: PixelSize, for target: PixelSize) -> Int {
        [8, 4, 2].first { size.width >= 2 * $0 * target.width && size.height >= 2 * $0 * target.height } ?? 1
    }

    /// `size` scaled to one edge of `box`, the other edge rounded to the nearest pixel.
    private static func scale(_ size: PixelSize, to box: PixelSize, byWidth: Bool) -> PixelSize {
        byWidth
            ? PixelSize(width: box.width, height: rounded(size.height * box.width, by: size.width))
            : PixelSize(width: rounded(size.width * box.height, by: size.height), height: box.height)
    }

    private static func rounded(_ dividend: Int, by divisor: Int) -> Int {
        max(1, (2 * dividend + divisor) / (2 * divisor))
    }
}
