import CalotypeCore

/// A drawing surface for a figure, with an optional transparent background.
///
/// A unit square is centred on it, as large as possible. x and y run from 0 at its top left to 1.
struct Cutout {
    private struct Pixel {
        /// Premultiplied by the opacity.
        var paint = Paint.black
        var opacity: Float = 0
    }

    private let size: PixelSize
    private let scale: Float
    private let left: Float
    private let top: Float
    private var pixels: [Pixel]

    init(_ size: PixelSize) {
        self.size = size
        scale = Float(min(size.width, size.height))
        left = (Float(size.width) - scale) / 2
        top = (Float(size.height) - scale) / 2
        pixels = [Pixel](repeating: Pixel(), count: size.pixelCount)
    }

    /// Paints a shape with an edge a pixel soft.
    mutating func fill(_ shape: Outline, _ paint: Paint, opacity: Float = 1) {
        let reach = shape.reach
        for row in span(reach.y, 0, top, size.height) {
            let y = (Float(row) + 0.5 - top) / scale
            for column in span(reach.x, 0, left, size.width) {
                let x = (Float(column) + 0.5 - left) / scale
                let cover = min(1, 0.5 - shape.distance(x, y) * scale)
                if cover > 0 { lay(paint, opacity * cover, at: row * size.width + column) }
            }
        }
    }

    /// Paints a shape with the result of `paint` for each place, with an edge `softness` wide.
    mutating func fill(
        _ shape: Outline,
        opacity: Float = 1,
        softness: Float = 0,
        _ paint: (_ x: Float, _ y: Float) -> Paint
    ) {
        let reach = shape.reach
        let edge = max(1 / scale, softness)
        let margin = max(0, softness / 2)
        let (rows, columns) = (
            span(reach.y, margin, top, size.height), span(reach.x, margin, left, size.width)
        )
        for row in rows {
            let y = (Float(row) + 0.5 - top) / scale
            for column in columns {
                let x = (Float(column) + 0.5 - left) / scale
                let cover = min(1, 0.5 - shape.distance(x, y) / edge)
                if cover > 0 { lay(paint(x, y), opacity * cover, at: row * size.width + column) }
            }
        }
    }

    /// Draws a bitmap centred on a box, and clips it to the box.
    mutating func place(_ bitmap: Bitmap, on box: Outline) {
        let reach = box.reach
        let originX =
            Int(((reach.x.lowerBound + reach.x.upperBound) / 2 * scale + left).rounded()) - bitmap.size.width
            / 2
        let originY =
            Int(((reach.y.lowerBound + reach.y.upperBound) / 2 * scale + top).rounded()) - bitmap.size.height
            / 2
        let rows = span(reach.y, 0, top, size.height)
        let columns = span(reach.x, 0, left, size.width)
        for row in rows.clamped(to: originY..<originY + bitmap.size.height) {
            let y = (Float(row) + 0.5 - top) / scale
            for column in columns.clamped(to: originX..<originX + bitmap.size.width) {
                let x = (Float(column) + 0.5 - left) / scale
                let cover = min(1, 0.5 - box.distance(x, y) * scale)
                guard cover > 0 else { continue }
                let index = ((row - originY) * bitmap.size.width + column - originX) * 4
                let paint = Paint(
                    Float(bitmap.rgba[index]),
                    Float(bitmap.rgba[index + 1]),
                    Float(bitmap.rgba[index + 2])
                )
                lay(paint * (1 / 255), cover, at: row * size.width + column)
            }
        }
    }

    /// Returns the number of pixels of a length in units.
    func pixels(_ length: Float) -> Int {
        max(1, Int((length * scale).rounded(.up)))
    }

    /// The area of the surface, in units.
    var bounds: (x: ClosedRange<Float>, y: ClosedRange<Float>) {
        (
            x: (-left / scale)...((Float(size.width) - left) / scale),
            y: (-top / scale)...((Float(size.height) - top) / scale)
        )
    }

    /// Paints the whole surface with the result of `paint` for each place.
    mutating func fillGround(_ paint: (_ x: Float, _ y: Float) -> Paint) {
        for row in 0..<size.height {
            let y = (Float(row) + 0.5 - top) / scale
            for column in 0..<size.width {
                let x = (Float(column) + 0.5 - left) / scale
                pixels[row * size.width + column] = Pixel(paint: paint(x, y), opacity: 1)
            }
        }
    }

    /// Returns the pixels, not premultiplied.
    func bitmap() -> Bitmap {
        var rgba: [UInt8] = []
        rgba.reserveCapacity(pixels.count * 4)
        for pixel in pixels {
            let factor = pixel.opacity > 0 ? 255 / pixel.opacity : 0
            rgba.append(Self.byte(pixel.paint.r * factor))
            rgba.append(Self.byte(pixel.paint.g * factor))
            rgba.append(Self.byte(pixel.paint.b * factor))
            rgba.append(Self.byte(pixel.opacity * 255))
        }
        return Bitmap(size: size, rgba: rgba)
    }

    private mutating func lay(_ paint: Paint, _ opacity: Float, at index: Int) {
        let under = pixels[index]
        pixels[index].paint = under.paint * (1 - opacity) + paint * opacity
        pixels[index].opacity = under.opacity * (1 - opacity) + opacity
    }

    private static func byte(_ value: Float) -> UInt8 {
        UInt8(max(0, min(255, value.rounded())))
    }

    /// Returns the pixels of `range`, which is in units.
    ///
    /// Adds a margin and one more pixel on each side for the soft edge.
    private func span(
        _ range: ClosedRange<Float>,
        _ margin: Float,
        _ start: Float,
        _ limit: Int
    ) -> Range<Int> {
        let low = (range.lowerBound - margin) * scale
        let high = (range.upperBound + margin) * scale
        let from = max(0, min(Float(limit), (low + start - 1).rounded(.down)))
        let to = max(from, min(Float(limit), (high + start + 1).rounded(.up)))
        return Int(from)..<Int(to)
    }
}
