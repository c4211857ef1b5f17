public import CalotypeCore

/// A friendly head generated from a text.
///
/// Equal texts give equal heads.
public struct RobotPicture: Hashable, Sendable {
    /// The kinds of heads.
    public enum Kind: String, CaseIterable, Sendable {
        /// With antennas, neck and shoulders.
        case robot
        /// Round, with horns and one to three eyes.
        case monster
        /// A robot's head alone.
        case head
        /// With pointed ears and whiskers.
        case kitten
        /// With hair and round ears.
        case human
    }

    /// The backgrounds.
    public enum Backdrop: String, CaseIterable, Sendable {
        /// None: the background is transparent.
        case none
        /// One colour that becomes lighter towards the bottom.
        case plain
        /// Rings around the head.
        case rings
    }

    /// The source of all random choices.
    public let text: String
    /// The kind of head.
    public let kind: Kind
    /// The background.
    public let backdrop: Backdrop
    /// Width and height in pixels.
    ///
    /// The head is as large as possible.
    public let size: PixelSize

    /// Creates a picture without drawing it.
    ///
    /// - Parameters:
    ///   - text: the source of all random choices.
    ///   - kind: the kind of head.
    ///   - backdrop: the background; none by default.
    ///   - size: width and height, 1 to 65,535 each; 300 by default.
    public init(
        text: String,
        kind: Kind = .robot,
        backdrop: Backdrop = .none,
        size: PixelSize = PixelSize(width: 300, height: 300)
    ) {
        self.text = text
        self.kind = kind
        self.backdrop = backdrop
        let lengths = 1...65_535
        self.size = PixelSize(
            width: min(max(size.width, lengths.lowerBound), lengths.upperBound),
            height: min(max(size.height, lengths.lowerBound), lengths.upperBound)
        )
    }

    /// Draws the picture.
    ///
    /// 300 by 300 pixels take a few milliseconds of CPU time in a release build.
    public func draw() -> Bitmap {
        var random = SeededRandom(seed: 5, text: text)
        var cutout = Cutout(size)
        let hue = random.number(0...1)
        paintBackdrop(on: &cutout, hue: hue + 0.5)
        let figure = RobotFigure(kind, hue: hue, &random)
        figure.paint(on: &cutout)
        return cutout.bitmap()
    }

    private func paintBackdrop(on cutout: inout Cutout, hue: Float) {
        let colour = Paint(lightness: 0.84, chroma: 0.07, hue: hue)
        switch backdrop {
        case .none: break
        case .plain: cutout.fillGround { _, y in colour.mixed(.white, 0.6 * max(0, min(1, y))) }
        case .rings:
            cutout.fillGround { x, y in
                let radius = ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)).squareRoot()
                return colour.mixed(.white, Int(radius * 12) % 2 == 0 ? 0.5 : 0.2)
            }
        }
    }
}

/// The choices for a ``RobotPicture`` and the code to paint it, back to front, in a unit square.
struct RobotFigure {
    private let kind: RobotPicture.Kind
    private let skin: Paint
    private let accent: Paint
    private let line = Paint(0x26303a)
    private let halfWidth: Float
    private let halfHeight: Float
    private let corner: Float
    private let eyes: RobotEyes
    private let mouth: RobotMouth
    /// From 0 to 1.
    ///
    /// Antennas, horns, ears and hair depend on it.
    private let lift: Float
    private let hasPair: Bool
    private let hair: RobotHair

    init(_ kind: RobotPicture.Kind, hue: Float, _ random: inout SeededRandom) {
        self.kind = kind
        let isSkin = kind == .human
        skin = Paint(
            lightness: isSkin ? random.number(0.5...0.88) : random.number(0.72...0.84),
            chroma: isSkin ? random.number(0.05...0.08) : random.number(0.08...0.14),
            hue: isSkin ? random.number(0.13...0.18) : hue
        )
        accent = Paint(lightness: 0.7, chroma: 0.16, hue: hue + random.number(0.3...0.7))
        halfWidth = random.number(0.24...0.3)
        halfHeight = random.number(0.22...0.27)
        let isRound = kind == .monster || kind == .kitten || kind == .human
        corner = isRound ? min(halfWidth, halfHeight) * 0.95 : random.number(0.03...0.16)
        eyes = RobotEyes(kind, accent: accent, &random)
        mouth = RobotMouth(kind, &random)
        lift = random.number(0...1)
        hasPair = random.chance(0.5)
        hair = RobotHair(accent: accent, &random)
    }

    func paint(on cutout: inout Cutout) {
        if kind == .human { hair.paintBehind(halfWidth, halfHeight, line: line, on: &cutout) }
        paintBody(on: &cutout)
        paintTop(on: &cutout)
        paintHead(on: &cutout)
        paintMarks(on: &cutout)
        eyes.paint(on: &cutout, line: line)
        mouth.paint(on: &cutout, line: line)
        if kind == .kitten { paintWhiskers(on: &cutout) }
    }

    private var head: Outline { .box(0.5, 0.53, halfWidth, halfHeight, corner: corner) }

    /// Paints what the face has below eyes and mouth: cheeks, spots, a muzzle with stripes, rivets, a fringe.
    private func paintMarks(on cutout: inout Cutout) {
        let dark = skin.mixed(line, 0.22)
        switch kind {
        case .robot, .head:
            for side: Float in [-1, 1] {
                cutout.fill(
                    .disc(0.5 + side * halfWidth * 0.8, 0.53 + halfHeight * 0.75, radius: 0.014),
                    dark
                )
                cutout.fill(
                    .disc(0.5 + side * halfWidth * 0.8, 0.53 - halfHeight * 0.75, radius: 0.014),
                    dark
                )
            }
        case .monster:
            for (x, y, radius) in [
                (Float(-0.6), Float(0.3), Float(0.035)), (0.62, -0.3, 0.028), (0.5, 0.5, 0.042),
            ] {
                cutout.fill(
                    .within(.disc(0.5 + x * halfWidth, 0.53 + y * halfHeight, radius: radius), head),
                    dark
                )
            }
        case .kitten:
            for x: Float in [-0.06, 0, 0.06] {
                let stripe = Outline.line(
                    0.5 + x,
                    0.5 - halfHeight,
                    0.5 + x * 0.8,
                    0.6 - halfHeight,
                    width: 0.026
                )
                cutout.fill(.within(stripe, head), dark)
            }
            cutout.fill(.within(.disc(0.5, 0.655, radius: 0.105), head), skin.mixed(.white, 0.6))
        case .human:
            for side: Float in [-1, 1] {
                cutout.fill(.disc(0.5 + side * 0.16, 0.6, radius: 0.038), Paint(0xe2695f), opacity: 0.3)
            }
            hair.paintBefore(head, halfWidth, halfHeight, line: line, on: &cutout)
        }
    }

    private func paintBody(on cutout: inout Cutout) {
        guard kind != .head else { return }
        outlined(.box(0.5, 0.84, 0.07, 0.1, corner: 0.01), skin.mixed(line, 0.35), on: &cutout)
        outlined(.box(0.5, 1.05, 0.27, 0.15, corner: 0.09), accent.mixed(skin, 0.3), on: &cutout)
    }

    /// Paints what projects above and beside the head.
    private func paintTop(on cutout: inout Cutout) {
        let top = 0.53 - halfHeight
        for side: Float in [-1, 1] {
            let x = 0.5 + side * halfWidth
            switch kind {
            case .robot, .head:
                outlined(.box(x, 0.53, 0.05, 0.08, corner: 0.02), accent, on: &cutout)
                if hasPair { paintAntenna(0.5 + side * 0.1, 0.5 + side * (0.12 + 0.1 * lift), on: &cutout) }
            case .monster:
                let foot = 0.5 + side * 0.14
                outlined(
                    .line(foot, top + 0.06, foot + side * 0.1 * lift, top - 0.08, width: 0.07),
                    accent,
                    on: &cutout
                )
            case .kitten:
                paintEar(side, top, on: &cutout)
            case .human:
                outlined(.disc(x, 0.55, radius: 0.055), skin, on: &cutout)
            }
        }
        if kind == .robot || kind == .head, !hasPair {
            paintAntenna(0.5, 0.5 + 0.1 * (lift - 0.5), on: &cutout)
        }
    }

    private func paintAntenna(_ foot: Float, _ tip: Float, on cutout: inout Cutout) {
        let y = 0.08 + 0.06 * lift
        cutout.fill(.line(foot, 0.53 - halfHeight, tip, y, width: 0.022), line)
        outlined(.disc(tip, y, radius: 0.04), accent, on: &cutout)
    }

    private func paintEar(_ side: Float, _ top: Float, on cutout: inout Cutout) {
        let foot = 0.5 + side * halfWidth * 0.66
        // Ever smaller discs make the tip. The dark ones come first, so that they show only at the edge.
        for margin: Float in [0.012, 0] {
            for step in 0...8 {
                let up = Float(step) / 8
                let tip = (foot + side * 0.05 * up, top + 0.08 - (0.13 + 0.05 * lift) * up)
                let disc = Outline.disc(tip.0, tip.1, radius: 0.08 - 0.062 * up)
                cutout.fill(disc.grown(by: margin), margin > 0 ? line : skin)
            }
        }
        cutout.fill(.disc(foot + side * 0.01, top + 0.03, radius: 0.035), accent, opacity: 0.7)
    }

    private func paintHead(on cutout: inout Cutout) {
        outlined(head, skin, on: &cutout)
        let shine = Outline.box(
            0.5 - halfWidth * 0.45,
            0.53 - halfHeight * 0.68,
            halfWidth * 0.22,
            0.022,
            corner: 0.022
        )
        if kind != .human { cutout.fill(shine, .white, opacity: 0.55) }
    }

    private func paintWhiskers(on cutout: inout Cutout) {
        for side: Float in [-1, 1] {
            for tilt: Float in [-0.03, 0.01, 0.05] {
                let near = 0.5 + side * 0.12
                cutout.fill(.line(near, 0.63, near + side * 0.2, 0.61 + tilt, width: 0.01), line)
            }
        }
        cutout.fill(.box(0.5, 0.6, 0.03, 0.02, corner: 0.02), accent)
    }

    /// Fills a shape and draws a dark line around it.
    private func outlined(_ shape: Outline, _ paint: Paint, on cutout: inout Cutout) {
        cutout.fill(shape.grown(by: 0.012), line)
        cutout.fill(shape, paint)
    }
}
