public import CalotypeCore

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

    /// Draws the icon, without round corners, which whoever shows it cuts; about 3 ms for 256 by 256 pixels in a release
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
