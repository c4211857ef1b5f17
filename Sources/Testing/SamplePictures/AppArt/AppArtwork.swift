public import CalotypeCore
import CalotypePlatform

/// The icon and the screenshots of a made-up app: the same for the same seed and glyph.
public struct AppArtwork: Hashable, Sendable {
    /// What is on the icon.
    public enum Glyph: String, CaseIterable, Hashable, Sendable {
        case aperture, bars, bolt, book, bubble, calendar, check, cloud, coin, compass, controller, cup, dice,
            disc
        case drop, equaliser, film, flame, gear, heart, landscape, layers, leaf, lens, lock, moon, note, paw
        case pencil, pie, pin, plane, planet, prompt, rocket, star, sun, tiles, wave
    }

    /// What all random choices are made from.
    public let seed: UInt64
    /// What is on the icon.
    public let glyph: Glyph

    /// Creates an artwork; nothing is drawn.
    public init(seed: UInt64, glyph: Glyph) {
        self.seed = seed
        self.glyph = glyph
    }

    /// Draws the icon, without round corners, which the viewer clips; about 3 ms for 256 by 256 pixels in a release
    /// build.
    ///
    /// - Parameter size: width and height, 1 to 65,535 each.
    /// - Returns: the pixels, none of them transparent.
    public func icon(_ size: PixelSize) -> Bitmap {
        var random = SeededRandom(seed: seed)
        let palette = AppPalette(&random)
        var cutout = Cutout(size)
        AppGround(palette, &random).paint(on: &cutout)
        palette.paint(glyph.layers, on: &cutout)
        return cutout.bitmap()
    }

    /// Draws a screenshot: a headline and a device with a screen of the app; a phone where it is higher than wide, else a
    /// tablet.
    ///
    /// - Parameters:
    ///   - number: another number shows another screen.
    ///   - size: width and height, 1 to 65,535 each.
    /// - Returns: the pixels, none of them transparent.
    public func screenshot(_ number: Int, _ size: PixelSize) -> Bitmap {
        var screen = AppScreen(self, max(0, number))
        return screen.draw(size)
    }
}

/// What is behind the glyph of an icon.
struct AppGround {
    private enum Ornament: CaseIterable {
        case none, glow, circles, hills, rays, fold
    }

    private let palette: AppPalette
    private let ornament: Ornament
    /// The direction of the gradient, in radians from straight down.
    private let slope: Float
    private let turn: Float

    init(_ palette: AppPalette, _ random: inout SeededRandom) {
        self.palette = palette
        ornament = random.one(of: Ornament.allCases)
        slope = random.number(-0.8...0.8)
        turn = random.number(0...1)
    }

    func paint(on cutout: inout Cutout) {
        let (across, down) = (sinf(slope), cosf(slope))
        let glow = ornament == .glow
        cutout.fillGround { x, y in
            let t = 0.5 + ((x - 0.5) * across + (y - 0.5) * down) * 0.85
            let paint = palette.ground(t)
            guard glow else { return paint }
            let distance = hypotf(x - 0.5, y - 0.28)
            return paint.mixed(.white, 0.28 * max(0, 1 - distance * 1.7))
        }
        paintOrnament(on: &cutout)
    }

    private func paintOrnament(on cutout: inout Cutout) {
        let light = palette.style == .light || palette.style == .pastel
        let paint = light ? palette.glyphBottom : Paint.white
        let strength: Float = light ? 0.07 : 0.1
        switch ornament {
        case .none, .glow: break
        case .circles:
            let side: Float = turn < 0.5 ? 0.1 : 0.9
            for radius: Float in [0.95, 0.7, 0.45] {
                cutout.fill(.disc(side, 1.05, radius: radius), paint, opacity: strength)
            }
        case .hills:
            cutout.fill(.disc(0.15 + 0.2 * turn, 1.45, radius: 0.72), paint, opacity: strength * 1.3)
            cutout.fill(.disc(0.95 - 0.2 * turn, 1.5, radius: 0.68), paint, opacity: strength * 1.3)
        case .rays: paintRays(paint, strength, on: &cutout)
        case .fold:
            let edge = 0.35 + 0.3 * turn
            cutout.fill(
                .polygon(
                    [SIMD2(edge - 0.35, 1.1), SIMD2(edge + 0.35, -0.1), SIMD2(1.2, -0.1), SIMD2(1.2, 1.1)],
                    corner: 0
                ),
                palette.bottom.mixed(.black, 0.6),
                opacity: strength
            )
        }
    }

    private func paintRays(_ paint: Paint, _ strength: Float, on cutout: inout Cutout) {
        let count = 11
        for index in 0..<count {
            let angle = 2 * .pi * (Float(index) + turn) / Float(count)
            let half = Float.pi / Float(count) * 0.5
            let ends = [angle - half, angle + half].map { SIMD2(0.5 + cosf($0), 0.5 + sinf($0)) }
            cutout.fill(.polygon([SIMD2(0.5, 0.5)] + ends, corner: 0), paint, opacity: strength)
        }
    }
}
