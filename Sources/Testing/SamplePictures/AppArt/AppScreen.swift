import CalotypeCore

/// A screenshot as makers show them: a headline, and a device with a screen of the app.
struct AppScreen {
    /// The most pixels of a photograph that are painted before it is enlarged.
    private static let photoDetail = 24_000

    private static let headlines: [[String]] = [
        ["ALL YOU NEED", "IN ONE PLACE"], ["MADE", "SIMPLE"], ["YOUR DAY", "AT A GLANCE"],
        ["WORKS", "OFFLINE"],
        ["FIND IT", "IN SECONDS"], ["SHARE WITH", "FRIENDS"], ["FEWER TAPS", "MORE TIME"],
        ["DAY AND", "NIGHT"],
        ["QUIET", "BY DESIGN"], ["EVERY DETAIL", "COUNTS"], ["NO ADS", "NO ACCOUNT"],
        ["MEET THE", "NEW VERSION"],
    ]
    static let titles = [
        "TODAY", "LIBRARY", "FAVOURITES", "DISCOVER", "MY PLACES", "THIS WEEK", "FOR YOU", "INBOX",
    ]
    static let names = ["ADA", "CHIDI", "HANNA", "EMRE"]

    let palette: AppPalette
    let glyph: AppArtwork.Glyph
    let isDark: Bool
    let ground: AppGround
    private let headline: [String]
    private let hasHeadlineBelow: Bool
    private let layout: AppScreenLayout
    var random: SeededRandom

    init(_ artwork: AppArtwork, _ number: Int) {
        var icon = SeededRandom(seed: artwork.seed)
        palette = AppPalette(&icon)
        ground = AppGround(palette, &icon)
        glyph = artwork.glyph
        isDark = palette.style == .dark
        let start = Int(artwork.seed % 1009)
        // Neighbours show different screens under different headlines.
        let index = start + number % 100
        headline = Self.headlines[index % Self.headlines.count]
        hasHeadlineBelow = index % 4 == 1
        layout = AppScreenLayout.allCases[index % AppScreenLayout.allCases.count]
        random = SeededRandom(seed: artwork.seed &+ UInt64(clamping: number) &* 0x9e37)
    }

    /// The colour of the app's pages.
    var page: Paint {
        isDark ? Paint(0x15161b) : Paint(lightness: 0.985, chroma: 0.006, hue: palette.hue)
    }

    /// Cards and bars on the page.
    var card: Paint { isDark ? Paint(0x24262e) : .white }

    var ink: Paint { isDark ? Paint(0xf2f3f7) : Paint(lightness: 0.26, chroma: 0.03, hue: palette.hue) }

    /// The app's own colour, which is not too pale for a page.
    var tint: Paint {
        palette.style == .vivid || palette.style == .light ? palette.bottomTint : palette.glyphTop
    }

    /// The paint that the notation of ``ScreenNotation`` calls `tone`, in the turn `index`.
    func paint(_ tone: Substring, index: Float) -> Paint? {
        switch tone {
        case "ink": ink
        case "card": card
        case "tint": tint
        case "accent": palette.accent
        case "white": .white
        case "hue": Paint(lightness: 0.72, chroma: 0.15, hue: palette.hue + index * 0.07)
        case "other": Paint(lightness: 0.75, chroma: 0.15, hue: palette.hue + 0.2)
        case "land": isDark ? Paint(0x20252e) : Paint(0xeef0e6)
        case "park": isDark ? Paint(0x24402f) : Paint(0xbfe3c0)
        case "water": isDark ? Paint(0x1d3a55) : Paint(0xa9d6f2)
        case "road": isDark ? Paint(0x39404d) : .white
        default: nil
        }
    }

    mutating func draw(_ size: PixelSize) -> Bitmap {
        var cutout = Cutout(size)
        ground.paint(on: &cutout)
        let bounds = cutout.bounds
        let width = bounds.x.upperBound - bounds.x.lowerBound
        let canvas = ScreenArea(
            x: bounds.x.lowerBound,
            y: bounds.y.lowerBound,
            width: width,
            height: (bounds.y.upperBound - bounds.y.lowerBound) / width
        )
        if canvas.height > 1 { drawPhone(canvas, on: &cutout) } else { drawTablet(canvas, on: &cutout) }
        return cutout.bitmap()
    }

    private mutating func drawPhone(_ canvas: ScreenArea, on cutout: inout Cutout) {
        let height: Float = 1.66
        let top = hasHeadlineBelow ? canvas.height - 0.45 - height : 0.45
        let lines = hasHeadlineBelow ? canvas.height - 0.33 : 0.11
        let frame = canvas.part(0.11, top, 0.78, height)
        device(frame, corner: 0.13, on: &cutout)
        layout.paint(frame.part(0.03, 0.03, 0.94, frame.height - 0.06), &self, on: &cutout)
        island(frame, on: &cutout)
        write(canvas, lines, 0.082, on: &cutout)
    }

    private mutating func drawTablet(_ canvas: ScreenArea, on cutout: inout Cutout) {
        let frame = canvas.part(0.09, 0.21, 0.82, 0.62)
        write(canvas, 0.045, 0.046, on: &cutout)
        device(frame, corner: 0.035, on: &cutout)
        let screen = frame.part(0.016, 0.016, 0.968, frame.height - 0.032)
        cutout.fill(screen.all(corner: 0.02), page)
        let side = screen.part(0, 0, 0.34, screen.height)
        AppScreenLayout.list.paint(side, &self, on: &cutout)
        let main = screen.part(0.36, 0, 0.62, screen.height)
        (layout == .list ? AppScreenLayout.grid : layout).paint(main, &self, on: &cutout)
        cutout.fill(screen.box(0.348, 0, 0.003, screen.height), ink, opacity: 0.12)
    }

    /// The headline in the middle.
    private func write(_ canvas: ScreenArea, _ y: Float, _ height: Float, on cutout: inout Cutout) {
        let ink = palette.style == .light || palette.style == .pastel ? palette.glyphBottom : Paint.white
        for (index, line) in headline.enumerated() {
            let width = Lettering.width(line) * height
            let top = y + Float(index) * height * 1.65
            cutout.fill(canvas.text(line, 0.5 - width / 2, top, height), ink)
        }
    }

    private func device(_ frame: ScreenArea, corner: Float, on cutout: inout Cutout) {
        let body = frame.all(corner: corner)
        cutout.fill(body.moved(0, 0.02), opacity: 0.35, softness: 0.12) { _, _ in
            palette.bottom.mixed(.black, 0.7)
        }
        cutout.fill(body, Paint(0x101116))
        cutout.fill(body.grown(by: -0.006 * frame.width), Paint(0x2a2c33))
        cutout.fill(body.grown(by: -0.012 * frame.width), Paint(0x08080a))
        cutout.fill(
            frame.part(0.03, 0.03, 0.94, frame.height - 0.06).all(corner: max(0.01, corner - 0.035)),
            page
        )
    }

    private func island(_ frame: ScreenArea, on cutout: inout Cutout) {
        cutout.fill(frame.box(0.38, 0.055, 0.24, 0.062, corner: 0.031), Paint(0x08080a))
        cutout.fill(frame.text("9:41", 0.14, 0.068, 0.038, weight: 0.2), ink)
        cutout.fill(frame.box(0.79, 0.068, 0.075, 0.036, corner: 0.012), ink, opacity: 0.35)
        cutout.fill(frame.box(0.795, 0.073, 0.05, 0.026, corner: 0.007), ink)
    }

    /// Lays a drawn photograph over a box.
    mutating func photo(_ area: ScreenArea, corner: Float, on cutout: inout Cutout) {
        let size = PixelSize(
            width: cutout.pixels(area.width) + 2,
            height: cutout.pixels(area.width * area.height) + 2
        )
        let picture = SamplePicture(seed: random.next(), size: size)
        cutout.place(picture.draw(painted: Self.photoDetail), on: area.all(corner: corner))
    }
}
