public import CalotypeCore

/// A friendly head that belongs to a text: the same text always gives the same one, others give others.
public struct RobotPicture: Hashable, Sendable {
    /// What kind of head it is.
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

    /// What is behind the head.
    public enum Backdrop: String, CaseIterable, Sendable {
        /// Nothing: the ground is transparent.
        case none
        /// One colour, which grows lighter towards the bottom.
        case plain
        /// Rings around the head.
        case rings
    }

    /// What all random choices are made from.
    public let text: String
    /// What kind of head it is.
    public let kind: Kind
    /// What is behind the head.
    public let backdrop: Backdrop
    /// Width and height in pixels; the head is as large as fits.
    public let size: PixelSize

    /// Creates a picture; nothing is drawn.
    ///
    /// - Parameters:
    ///   - text: what all random choices are made from.
    ///   - kind: what kind of head it is.
    ///   - backdrop: what is behind the head; nothing by default.
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

    /// Draws the picture; a few milliseconds of processor time for 300 by 300 pixels in a release build.
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
