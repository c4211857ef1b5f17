import CalotypeCore

/// A rectangle of pixels.
struct PixelArea: Hashable {
    var left: Int
    var top: Int
    var size: PixelSize

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
