import Glibc

/// A shape that a ``Cutout`` is filled with, in its units.
enum Outline {
    case disc(_ x: Float, _ y: Float, radius: Float)
    /// A rectangle by its centre and its half sides, with round corners.
    case box(_ x: Float, _ y: Float, _ halfWidth: Float, _ halfHeight: Float, corner: Float)
    /// A line with round ends.
    case line(_ x1: Float, _ y1: Float, _ x2: Float, _ y2: Float, width: Float)
    /// The lower part of a ring, `depth` of 0 to 1 of its radius high.
    case smile(_ x: Float, _ y: Float, radius: Float, depth: Float, width: Float)

    /// A box around the shape.
    var reach: (x: ClosedRange<Float>, y: ClosedRange<Float>) {
        switch self {
        case .disc(let x, let y, let radius): Self.around(x, y, radius, radius)
        case .box(let x, let y, let halfWidth, let halfHeight, _): Self.around(x, y, halfWidth, halfHeight)
        case .line(let x1, let y1, let x2, let y2, let width):
            Self.around((x1 + x2) / 2, (y1 + y2) / 2, abs(x1 - x2) / 2 + width, abs(y1 - y2) / 2 + width)
        case .smile(let x, let y, let radius, _, let width): Self.around(x, y, radius + width, radius + width)
        }
    }

    /// How far a place is from the edge; negative inside.
    func distance(_ x: Float, _ y: Float) -> Float {
        switch self {
        case .disc(let cx, let cy, let radius):
            return hypotf(x - cx, y - cy) - radius
        case .box(let cx, let cy, let halfWidth, let halfHeight, let corner):
            let across = abs(x - cx) - halfWidth + corner
            let down = abs(y - cy) - halfHeight + corner
            let inside = min(max(across, down), 0)
            return hypotf(max(across, 0), max(down, 0)) + inside - corner
        case .line(let x1, let y1, let x2, let y2, let width):
            let dx = x2 - x1
            let dy = y2 - y1
            let along = max(0, min(1, ((x - x1) * dx + (y - y1) * dy) / max(1e-6, dx * dx + dy * dy)))
            return hypotf(x - x1 - along * dx, y - y1 - along * dy) - width / 2
        case .smile(let cx, let cy, let radius, let depth, let width):
            let ring = abs(hypotf(x - cx, y - cy) - radius) - width / 2
            return max(ring, cy + radius * (1 - depth) - y)
        }
    }

    /// The same shape, `margin` larger on each side.
    func grown(by margin: Float) -> Outline {
        switch self {
        case .disc(let x, let y, let radius):
            .disc(x, y, radius: radius + margin)
        case .box(let x, let y, let halfWidth, let halfHeight, let corner):
            .box(x, y, halfWidth + margin, halfHeight + margin, corner: corner + margin)
        case .line(let x1, let y1, let x2, let y2, let width):
            .line(x1, y1, x2, y2, width: width + 2 * margin)
        case .smile(let x, let y, let radius, let depth, let width):
            .smile(x, y, radius: radius, depth: depth, width: width + 2 * margin)
        }
    }

    private static func around(
        _ x: Float,
        _ y: Float,
        _ halfWidth: Float,
        _ halfHeight: Float
    ) -> (x: ClosedRange<Float>, y: ClosedRange<Float>) {
        ((x - halfWidth)...(x + halfWidth), (y - halfHeight)...(y + halfHeight))
    }
}
