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
