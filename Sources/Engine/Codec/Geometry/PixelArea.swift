import CalotypeCore

/// A rectangle of pixels.
struct PixelArea: Hashable {
    var left: Int
    var top: Int
    var size: PixelSize

    /// The part of a picture of `size` that this is of one of `whole`, which was scaled to it; at least a pixel.
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

    /// The same pixels of an upright picture of size `upright`, in the picture as it is stored with `orientation`.
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
