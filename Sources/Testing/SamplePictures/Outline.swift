import Glibc

/// A shape that a ``Cutout`` is filled with, in its units.
indirect enum Outline: Sendable {
    case disc(_ x: Float, _ y: Float, radius: Float)
    /// A rectangle by its centre and its half sides, with round corners.
    case box(_ x: Float, _ y: Float, _ halfWidth: Float, _ halfHeight: Float, corner: Float)
    /// A line with round ends.
    case line(_ x1: Float, _ y1: Float, _ x2: Float, _ y2: Float, width: Float)
    /// The lower part of a ring, `depth` of 0 to 1 of its radius high.
    case smile(_ x: Float, _ y: Float, radius: Float, depth: Float, width: Float)
    case ring(_ x: Float, _ y: Float, radius: Float, width: Float)
    /// Straight sides between points, with round corners.
    case polygon([SIMD2<Float>], corner: Float)
    /// What lies in any of them; not empty.
    case joined([Outline])
    /// What lies in the first and not in the second.
    case without(Outline, Outline)
    /// What lies in both.
    case within(Outline, Outline)

    /// A box around the shape.
    var reach: (x: ClosedRange<Float>, y: ClosedRange<Float>) {
        switch self {
        case .disc(let x, let y, let radius): Self.around(x, y, radius, radius)
        case .box(let x, let y, let halfWidth, let halfHeight, _): Self.around(x, y, halfWidth, halfHeight)
        case .line(let x1, let y1, let x2, let y2, let width):
            Self.around((x1 + x2) / 2, (y1 + y2) / 2, abs(x1 - x2) / 2 + width, abs(y1 - y2) / 2 + width)
        case .smile(let x, let y, let radius, _, let width), .ring(let x, let y, let radius, let width):
            Self.around(x, y, radius + width, radius + width)
        case .polygon(let points, let corner): Self.around(points, corner)
        case .joined(let shapes): Self.around(shapes)
        case .without(let shape, _), .within(let shape, _): shape.reach
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
        case .ring(let cx, let cy, let radius, let width):
            return abs(hypotf(x - cx, y - cy) - radius) - width / 2
        case .polygon(let points, let corner):
            return Self.distance(SIMD2(x, y), points) - corner
        case .joined(let shapes):
            return shapes.reduce(.infinity) { min($0, $1.distance(x, y)) }
        case .without(let shape, let hole):
            return max(shape.distance(x, y), -hole.distance(x, y))
        case .within(let shape, let other):
            return max(shape.distance(x, y), other.distance(x, y))
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
        case .ring(let x, let y, let radius, let width):
            .ring(x, y, radius: radius, width: width + 2 * margin)
        case .polygon(let points, let corner): .polygon(points, corner: corner + margin)
        case .joined(let shapes): .joined(shapes.map { $0.grown(by: margin) })
        case .without(let shape, let hole): .without(shape.grown(by: margin), hole.grown(by: -margin))
        case .within(let shape, let other): .within(shape.grown(by: margin), other.grown(by: margin))
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
