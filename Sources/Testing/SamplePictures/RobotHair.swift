/// The hair of a human ``RobotFigure``: a part behind the head and a part before it.
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

    /// The fringe lies on the upper part of the head.
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
