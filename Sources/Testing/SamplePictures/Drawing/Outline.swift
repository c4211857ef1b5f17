import CalotypePlatform

/// A shape to fill on a ``Cutout``, in its units.
indirect enum Outline: Sendable {
    case disc(_ x: Float, _ y: Float, radius: Float)
    /// A rectangle with round corners, given by its centre and half its sides.
    case box(_ x: Float, _ y: Float, _ halfWidth: Float, _ halfHeight: Float, corner: Float)
    /// A line with round ends.
    case line(_ x1: Float, _ y1: Float, _ x2: Float, _ y2: Float, width: Float)
    /// The lower part of a ring, `depth` of 0 to 1 of its radius high.
    case smile(_ x: Float, _ y: Float, radius: Float, depth: Float, width: Float)
    case ring(_ x: Float, _ y: Float, radius: Float, width: Float)
    /// Straight sides between points, with round corners.
    case polygon([SIMD2<Float>], corner: Float)
    /// The union of the shapes; not empty.
    case joined([Outline])
    /// The first shape without the second.
    case without(Outline, Outline)
    /// The intersection of both shapes.
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

    /// Returns the distance of a place from the edge; negative inside.
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

    /// Returns this shape, `margin` larger on each side.
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

extension Outline {
    /// Returns this shape at another place.
    func moved(_ dx: Float, _ dy: Float) -> Outline { placed(dx, dy, scale: 1) }

    /// Returns this shape enlarged by `scale` about the top left, and then moved.
    func placed(_ dx: Float, _ dy: Float, scale: Float) -> Outline {
        switch self {
        case .disc(let x, let y, let radius):
            .disc(x * scale + dx, y * scale + dy, radius: radius * scale)
        case .box(let x, let y, let halfWidth, let halfHeight, let corner):
            .box(
                x * scale + dx,
                y * scale + dy,
                halfWidth * scale,
                halfHeight * scale,
                corner: corner * scale
            )
        case .line(let x1, let y1, let x2, let y2, let width):
            .line(
                x1 * scale + dx,
                y1 * scale + dy,
                x2 * scale + dx,
                y2 * scale + dy,
                width: width * scale
            )
        case .smile(let x, let y, let radius, let depth, let width):
            .smile(x * scale + dx, y * scale + dy, radius: radius * scale, depth: depth, width: width * scale)
        case .ring(let x, let y, let radius, let width):
            .ring(x * scale + dx, y * scale + dy, radius: radius * scale, width: width * scale)
        case .polygon(let points, let corner):
            .polygon(points.map { $0 * scale + SIMD2(dx, dy) }, corner: corner * scale)
        case .joined(let shapes): .joined(shapes.map { $0.placed(dx, dy, scale: scale) })
        case .without(let shape, let hole):
            .without(shape.placed(dx, dy, scale: scale), hole.placed(dx, dy, scale: scale))
        case .within(let shape, let other):
            .within(shape.placed(dx, dy, scale: scale), other.placed(dx, dy, scale: scale))
        }
    }

    /// A disc with a tip.
    static func tear(_ x: Float, _ y: Float, radius: Float, tip tipX: Float, _ tipY: Float) -> Outline {
        let dx = tipX - x
        let dy = tipY - y
        let along = atan2f(dy, dx)
        let aside = acosf(min(1, radius / max(1e-6, hypotf(dx, dy))))
        let feet = [along + aside, along - aside].map { SIMD2(x + radius * cosf($0), y + radius * sinf($0)) }
        return .joined([
            .disc(x, y, radius: radius),
            .polygon([SIMD2(tipX, tipY), feet[0], SIMD2(x, y), feet[1]], corner: 0),
        ])
    }

    /// The area between two arcs that meet in two tips.
    static func lens(_ x1: Float, _ y1: Float, _ x2: Float, _ y2: Float, bulge: Float) -> Outline {
        let half = hypotf(x2 - x1, y2 - y1) / 2
        let depth = half * bulge
        let radius = (half * half + depth * depth) / (2 * depth)
        let out = (radius - depth) / (2 * half)
        let normal = SIMD2(y1 - y2, x2 - x1) * out
        let middle = SIMD2(x1 + x2, y1 + y2) / 2
        let (a, b) = (middle + normal, middle - normal)
        return .within(.disc(a.x, a.y, radius: radius), .disc(b.x, b.y, radius: radius))
    }

    /// A star standing on two of its points.
    static func star(_ x: Float, _ y: Float, _ radius: Float, points: Int = 5, inner: Float = 0.48) -> Outline
    {
        let corner = radius * 0.1
        let places = (0..<points * 2).map { index in
            let reach = (index % 2 == 0 ? radius : radius * inner) - corner
            let angle = Float(index) * .pi / Float(points) - .pi / 2
            return SIMD2(x + reach * cosf(angle), y + reach * sinf(angle))
        }
        return .polygon(places, corner: corner)
    }

    /// A part of a ring, clockwise from the top.
    static func arc(_ x: Float, _ y: Float, radius: Float, width: Float, share: Float) -> Outline {
        let points = (0...40).map { step in
            let angle = (Float(step) / 40 * share - 0.25) * 2 * .pi
            return SIMD2(x + radius * cosf(angle), y + radius * sinf(angle))
        }
        return .path(points, width: width)
    }

    /// A line through several points.
    static func path(_ points: [SIMD2<Float>], width: Float) -> Outline {
        .joined(zip(points, points.dropFirst()).map { .line($0.x, $0.y, $1.x, $1.y, width: width) })
    }

    /// An ellipse rotated by an angle, as a polygon.
    static func ellipse(_ x: Float, _ y: Float, _ half: SIMD2<Float>, turn: Float) -> Outline {
        let count = 28
        let points = (0..<count).map { index in
            let angle = 2 * .pi * Float(index) / Float(count)
            let place = half * SIMD2(cosf(angle), sinf(angle))
            return SIMD2(
                x + place.x * cosf(turn) - place.y * sinf(turn),
                y + place.x * sinf(turn) + place.y * cosf(turn)
            )
        }
        return .polygon(points, corner: 0)
    }

    /// Returns the distance to a polygon's sides; negative inside.
    ///
    /// The parity of the sides crossed to the right decides what is inside.
    static func distance(_ place: SIMD2<Float>, _ points: [SIMD2<Float>]) -> Float {
        guard var previous = points.last else { return .infinity }
        var nearest = Float.infinity
        var isInside = false
        for point in points {
            let side = point - previous
            let from = place - previous
            let along = max(0, min(1, (from * side).sum() / max(1e-12, (side * side).sum())))
            let away = from - side * along
            nearest = min(nearest, (away * away).sum())
            if (previous.y > place.y) != (point.y > place.y),
                from.x < side.x * from.y / side.y
            {
                isInside.toggle()
            }
            previous = point
        }
        return isInside ? -nearest.squareRoot() : nearest.squareRoot()
    }

    static func around(
        _ points: [SIMD2<Float>],
        _ margin: Float
    ) -> (x: ClosedRange<Float>, y: ClosedRange<Float>) {
        let low = points.reduce(SIMD2(repeating: .infinity)) { pointwiseMin($0, $1) } - margin
        let high = points.reduce(SIMD2(repeating: -.infinity)) { pointwiseMax($0, $1) } + margin
        return (low.x...max(low.x, high.x), low.y...max(low.y, high.y))
    }

    static func around(_ shapes: [Outline]) -> (x: ClosedRange<Float>, y: ClosedRange<Float>) {
        let reaches = shapes.map(\.reach)
        let low = reaches.reduce(SIMD2(repeating: .infinity)) {
            pointwiseMin($0, SIMD2($1.x.lowerBound, $1.y.lowerBound))
        }
        let high = reaches.reduce(SIMD2(repeating: -.infinity)) {
            pointwiseMax($0, SIMD2($1.x.upperBound, $1.y.upperBound))
        }
        return (low.x...max(low.x, high.x), low.y...max(low.y, high.y))
    }
}
