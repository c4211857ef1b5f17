import CalotypeCore
import CalotypePlatform

/// The surface for a scene.
///
/// x runs from 0 to ``aspect``, y from 0 at the top to 1 at the bottom.
struct Canvas {
    let width: Int
    let height: Int
    /// The rows from the top.
    private(set) var pixels: [Paint]

    init(_ size: PixelSize) {
        width = size.width
        height = size.height
        pixels = [Paint](repeating: .black, count: width * height)
    }

    /// The width, if the height is 1.
    var aspect: Float { Float(width) / Float(height) }

    /// The side of a pixel.
    var pixel: Float { 1 / Float(height) }

    /// Replaces every pixel with the result of `paint` for its place and colour.
    mutating func shade(_ paint: (_ x: Float, _ y: Float, _ old: Paint) -> Paint) {
        shade(x: 0...aspect, y: 0...1, paint)
    }

    /// Replaces the pixels of a box with the result of `paint` for their place and colour.
    mutating func shade(
        x: ClosedRange<Float>,
        y: ClosedRange<Float>,
        _ paint: (_ x: Float, _ y: Float, _ old: Paint) -> Paint
    ) {
        let columns = span(x, limit: width)
        let side = pixel
        for row in span(y, limit: height) {
            let v = (Float(row) + 0.5) * side
            for column in columns {
                let index = row * width + column
                pixels[index] = paint((Float(column) + 0.5) * side, v, pixels[index])
            }
        }
    }

    /// Paints a disc with an edge `softness` wide.
    mutating func disc(
        _ cx: Float,
        _ cy: Float,
        _ radius: Float,
        _ paint: Paint,
        opacity: Float = 1,
        softness: Float = 0
    ) {
        let edge = max(softness, pixel * 1.5)
        let reach = radius + edge
        shade(x: (cx - reach)...(cx + reach), y: (cy - reach)...(cy + reach)) { x, y, old in
            let distance = hypotf(x - cx, y - cy)
            return old.mixed(paint, opacity * (1 - ramp(distance, radius - edge * 0.5, radius + edge * 0.5)))
        }
    }

    /// Adds light around a point that fades to nothing at `radius`.
    mutating func glow(_ cx: Float, _ cy: Float, _ radius: Float, _ paint: Paint, strength: Float) {
        shade(x: (cx - radius)...(cx + radius), y: (cy - radius)...(cy + radius)) { x, y, old in
            let t = max(0, 1 - hypotf(x - cx, y - cy) / radius)
            return old + paint * (strength * t * t * t)
        }
    }

    /// Paints a rectangle with edges a pixel soft.
    mutating func box(_ x: ClosedRange<Float>, _ y: ClosedRange<Float>, _ paint: Paint, opacity: Float = 1) {
        let edge = pixel
        shade(
            x: (x.lowerBound - edge)...(x.upperBound + edge),
            y: (y.lowerBound - edge)...(y.upperBound + edge)
        ) { px, py, old in
            let across = min(px - x.lowerBound, x.upperBound - px)
            let down = min(py - y.lowerBound, y.upperBound - py)
            return old.mixed(paint, opacity * ramp(min(across, down), -edge * 0.5, edge * 0.5))
        }
    }

    /// Paints everything below the line `top`, one height per column, as for hills, roofs and waves.
    mutating func below(
        _ top: (_ x: Float) -> Float,
        _ paint: (_ x: Float, _ y: Float, _ depth: Float) -> Paint
    ) {
        let edge = pixel
        let tops = (0..<width).map { top((Float($0) + 0.5) * edge) }
        shade(x: 0...aspect, y: min(1, (tops.min() ?? 0) - edge)...1) { x, y, old in
            let depth = y - tops[min(tops.count - 1, Int(x / edge))]
            guard depth > -edge else { return old }
            return old.mixed(paint(x, y, max(0, depth)), ramp(depth, -edge, edge))
        }
    }

    /// Returns the pixels of `range` that are on the canvas.
    ///
    /// `range` is in units of the height.
    private func span(_ range: ClosedRange<Float>, limit: Int) -> Range<Int> {
        let scale = Float(height)
        let from = max(0, min(Float(limit), (range.lowerBound * scale).rounded(.down)))
        let to = max(from, min(Float(limit), (range.upperBound * scale).rounded(.up)))
        return Int(from)..<Int(to)
    }
}

extension Canvas {
    /// Returns the colour at a place.
    ///
    /// Beyond an edge it is the edge's colour.
    func colour(_ x: Float, _ y: Float) -> Paint {
        let column = max(0, min(width - 1, Int(x * Float(height))))
        let row = max(0, min(height - 1, Int(y * Float(height))))
        return pixels[row * width + column]
    }
}
