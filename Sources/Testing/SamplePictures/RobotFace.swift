/// The eyes of a ``RobotFigure``.
struct RobotEyes {
    private let count: Int
    private let radius: Float
    private let apart: Float
    private let iris: Paint
    /// Where the pupils look, from -1 for left to 1.
    private let gaze: Float
    /// Draws a band with two lights instead of eyes, which some robots have.
    private let isBand: Bool

    init(_ kind: RobotPicture.Kind, accent: Paint, _ random: inout SeededRandom) {
        let isRobot = kind == .robot || kind == .head
        count = kind == .monster ? random.whole(1...3) : 2
        isBand = isRobot && random.chance(0.3)
        radius = count == 1 ? random.number(0.09...0.12) : random.number(0.05...0.07)
        apart = count == 3 ? 0.15 : random.number(0.2...0.26)
        gaze = random.number(-1...1)
        iris = accent.mixed(.black, random.number(0...0.5))
    }

    func paint(on cutout: inout Cutout, line: Paint) {
        if isBand { cutout.fill(.box(0.5, 0.47, 0.21, 0.07, corner: 0.05), line) }
        for index in 0..<count {
            let x = 0.5 + (Float(index) - Float(count - 1) / 2) * apart
            if isBand {
                cutout.fill(.disc(x, 0.47, radius: radius * 0.6), iris.mixed(.white, 0.5))
            } else {
                paintEye(x, on: &cutout, line: line)
            }
        }
    }

    private func paintEye(_ x: Float, on cutout: inout Cutout, line: Paint) {
        cutout.fill(.disc(x, 0.47, radius: radius + 0.012), line)
        cutout.fill(.disc(x, 0.47, radius: radius), .white)
        let look = x + gaze * radius * 0.35
        cutout.fill(.disc(look, 0.475, radius: radius * 0.58), iris)
        cutout.fill(.disc(look, 0.475, radius: radius * 0.3), .black)
        cutout.fill(.disc(look - radius * 0.2, 0.475 - radius * 0.25, radius: radius * 0.16), .white)
    }
}

/// The mouth of a ``RobotFigure``.
enum RobotMouth {
    case smile(depth: Float)
    case teeth(count: Int)
    case grille(bars: Int)

    init(_ kind: RobotPicture.Kind, _ random: inout SeededRandom) {
        let choice = random.whole(0...2)
        let depth = random.number(0.35...0.7)
        let parts = random.whole(3...6)
        switch (kind, choice) {
        case (.robot, 0...1), (.head, 0...1): self = .grille(bars: parts)
        case (.monster, 0...1): self = .teeth(count: parts)
        default: self = .smile(depth: depth)
        }
    }

    func paint(on cutout: inout Cutout, line: Paint) {
        switch self {
        case .smile(let depth):
            cutout.fill(.smile(0.5, 0.58, radius: 0.1, depth: depth, width: 0.022), line)
        case .teeth(let count):
            cutout.fill(.box(0.5, 0.66, 0.13, 0.045, corner: 0.04), line)
            for x in Self.spread(count, over: 0.2) {
                cutout.fill(.box(x, 0.645, 0.014, 0.025, corner: 0.008), .white)
            }
        case .grille(let bars):
            cutout.fill(.box(0.5, 0.66, 0.13, 0.04, corner: 0.015), line)
            cutout.fill(.box(0.5, 0.66, 0.12, 0.03, corner: 0.01), Paint(0xdfe5ea))
            for x in Self.spread(bars, over: 0.2) {
                cutout.fill(.line(x, 0.635, x, 0.685, width: 0.012), line)
            }
        }
    }

    private static func spread(_ count: Int, over width: Float) -> [Float] {
        (0..<count).map { 0.5 + width * (Float($0) / Float(max(1, count - 1)) - 0.5) }
    }
}

/// The hair of a human ``RobotFigure``: one part behind the head and one in front.
struct RobotHair {
    private enum Style: CaseIterable {
        case cap, long, curls, bun, side
    }

    private let style: Style
    private let paint: Paint
    /// From 0 to 1.
    private let lift: Float

    init(accent: Paint, _ random: inout SeededRandom) {
        style = random.one(of: Style.allCases)
        lift = random.number(0...1)
        let natural: [UInt32] = [0x2b2320, 0x4a3227, 0x6e4528, 0xa9652f, 0xd9a441, 0xb9b4ae, 0x8f3b23]
        paint = random.chance(0.75) ? Paint(random.one(of: natural)) : accent
    }

    func paintBehind(_ halfWidth: Float, _ halfHeight: Float, line: Paint, on cutout: inout Cutout) {
        switch style {
        case .long:
            let length = 0.3 + 0.12 * lift
            outlined(
                [.box(0.5, 0.5 + length / 2 - 0.1, halfWidth * 1.12, length, corner: halfWidth)],
                line,
                on: &cutout
            )
        case .bun:
            outlined([.disc(0.5, 0.5 - halfHeight - 0.02, radius: 0.085)], line, on: &cutout)
        case .curls:
            let discs = (0..<9).map { index in
                let side = Float(index) / 8 * 2 - 1
                let rise = (1 - side * side).squareRoot()
                return Outline.disc(
                    0.5 + side * halfWidth * 1.02,
                    0.5 - rise * halfHeight * 0.95,
                    radius: 0.09
                )
            }
            outlined(discs, line, on: &cutout)
        case .cap, .side: break
        }
    }

    /// Paints the fringe, on the upper part of the head.
    func paintBefore(
        _ head: Outline,
        _ halfWidth: Float,
        _ halfHeight: Float,
        line: Paint,
        on cutout: inout Cutout
    ) {
        let top = 0.53 - halfHeight
        let fringe: Outline =
            switch style {
            case .side:
                .within(.disc(0.5 - halfWidth * 0.55, top - 0.11, radius: 0.265), head)
            case .long, .bun:
                .without(
                    .within(.box(0.5, top + 0.05, halfWidth * 1.2, 0.1, corner: 0), head),
                    .disc(0.5, top + 0.24, radius: 0.16)
                )
            case .curls, .cap:
                .within(.disc(0.5 + (lift - 0.5) * 0.2, top - 0.16, radius: 0.3), head)
            }
        cutout.fill(fringe.grown(by: 0.009), line)
        cutout.fill(fringe, paint)
        if style == .cap {
            outlined([.disc(0.5 + (lift - 0.5) * 0.3, top + 0.005, radius: 0.07)], line, on: &cutout)
        }
    }

    private func outlined(_ shapes: [Outline], _ line: Paint, on cutout: inout Cutout) {
        cutout.fill(.joined(shapes.map { $0.grown(by: 0.012) }), line)
        cutout.fill(.joined(shapes), paint)
    }
}
