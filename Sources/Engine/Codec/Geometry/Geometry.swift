package import CalotypeCore

/// The steps from a picture's size to the size that a transform requests; pure arithmetic.
///
/// The formulas are imgproxy's (https://docs.imgproxy.net). All areas are those of the picture after turning.
package struct Geometry: Hashable {
    /// The part of the source to scale.
    let crop: PixelArea
    /// The size of that part after scaling.
    let scaled: PixelSize
    /// The part of the scaled picture to keep.
    let kept: PixelArea
    /// The canvases under the kept picture, in order: to fill a box, an aspect ratio, a padding.
    let canvases: [Canvas]
    /// The number of result pixels for one pixel of paddings and offsets.
    let pixelRatio: Double

    /// A larger area that contains a picture; parts of the picture may lie outside.
    struct Canvas: Hashable {
        let size: PixelSize
        let left: Int
        let top: Int
    }

    /// The size of the result.
    package var output: PixelSize { canvases.last?.size ?? kept.size }
    /// Whether something is cut off after scaling.
    var isCut: Bool { kept.size != scaled }

    /// Plans `transform` for a picture that has `size` after turning, at least one pixel in each direction.
    ///
    /// If libvips finds the position (``Gravity/attention``), the centre stands in for it.
    package init(_ transform: Transform, of size: PixelSize) {
        let crop = Self.crop(transform.edits, of: size)
        var scale = ScalePlan(transform, of: crop.size)
        self.init(transform, crop, scale)
        let most = transform.edits.mostSide
        guard most > 0 else { return }
        // Rounded paddings may still be a pixel too large.
        for _ in 0..<4 where max(output.width, output.height) > most {
            scale.shrink(by: Double(max(output.width, output.height)) / Double(most), crop.size)
            self.init(transform, crop, scale)
        }
    }

    private init(_ transform: Transform, _ crop: PixelArea, _ scale: ScalePlan) {
        let edits = transform.edits
        let scaled = PixelSize(
            width: Rounding.side(Double(crop.size.width) / scale.x),
            height: Rounding.side(Double(crop.size.height) / scale.y)
        )
        let target = Target(transform, scale)
        let kept = target.kept(of: scaled, transform)
        self.crop = crop
        self.scaled = scaled
        pixelRatio = scale.pixelRatio
        self.kept = Self.cut(scaled, to: kept, transform, scale.pixelRatio)
        canvases = target.canvases(around: kept, edits, scale.pixelRatio)
    }

    /// The largest factor, 8, 4 or 2, by which a decoder may shrink a picture of `size`, or 1.
    ///
    /// The resampler still gets at least twice `target` in each direction.
    static func shrink(_ size: PixelSize, for target: PixelSize) -> Int {
        [8, 4, 2].first { size.width >= 2 * $0 * target.width && size.height >= 2 * $0 * target.height } ?? 1
    }

    /// The part of a source of `size` to scale; offsets are pixels of the source.
    private static func crop(_ edits: PictureEdits, of size: PixelSize) -> PixelArea {
        guard let crop = edits.crop else { return PixelArea(left: 0, top: 0, size: size) }
        let kept = PixelSize(
            width: side(crop.width, of: size.width),
            height: side(crop.height, of: size.height)
        )
        let gravity = crop.gravity ?? edits.gravity
        return PixelArea(kept, in: size, gravity, pixelRatio: 1)
    }

    private static func side(_ wanted: Double, of side: Int) -> Int {
        if wanted <= 0 { return side }
        return min(side, wanted >= 1 ? Int(min(wanted, 1e9)) : Rounding.side(wanted * Double(side)))
    }

    private static func cut(
        _ scaled: PixelSize,
        to size: PixelSize,
        _ transform: Transform,
        _ pixelRatio: Double
    ) -> PixelArea {
        let gravity = transform.edits.gravity
        guard gravity == .centre, transform.mode == .fill || transform.edits.middle != nil else {
            return PixelArea(size, in: scaled, gravity, pixelRatio: pixelRatio)
        }
        // Evenly, although imgproxy cuts a pixel more at the left and top.
        return PixelArea(
            left: (scaled.width - size.width) / 2,
            top: (scaled.height - size.height) / 2,
            size: size
        )
    }
}
