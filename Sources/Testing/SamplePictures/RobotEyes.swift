/// The eyes of a ``RobotFigure``.
struct RobotEyes {
    private let count: Int
    private let radius: Float
    private let apart: Float
    private let iris: Paint
    /// Where the pupils look, from -1 for left to 1.
    private let gaze: Float
    /// Robots may have a band with two lights instead.
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
