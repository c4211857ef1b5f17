import Glibc

/// What a screen of an app shows.
enum AppScreenLayout: CaseIterable {
    case grid, list, hero, chart, player, chat, map, rings

    func paint(_ area: ScreenArea, _ screen: inout AppScreen, on cutout: inout Cutout) {
        switch self {
        case .grid: screen.paintGrid(area, on: &cutout)
        case .list: screen.paintList(area, on: &cutout)
        case .hero: screen.paintHero(area, on: &cutout)
        case .chart: screen.paintChart(area, on: &cutout)
        case .player: screen.paintPlayer(area, on: &cutout)
        case .chat: screen.paintChat(area, on: &cutout)
        case .map: screen.paintMap(area, on: &cutout)
        case .rings: screen.paintRings(area, on: &cutout)
        }
    }
}

extension AppScreen {
    /// Whether the area is a phone's, which has room for a status bar above and tabs below.
    private func isTall(_ area: ScreenArea) -> Bool { area.height > 1.4 }

    /// Paints the page's title, and gives where what is below it begins.
    private mutating func paintTitle(_ area: ScreenArea, on cutout: inout Cutout) -> Float {
        let top: Float = isTall(area) ? 0.2 : 0.07
        cutout.fill(area.text(random.one(of: Self.titles), 0.07, top, 0.066), ink)
        cutout.fill(area.disc(0.88, top + 0.033, 0.047), tint)
        return top + 0.14
    }

    private func paintTabs(_ area: ScreenArea, on cutout: inout Cutout) {
        guard isTall(area) else { return }
        cutout.fill(area.box(0, area.height - 0.19, 1, 0.19, corner: 0.09), card)
        for index in 0..<4 {
            let x = 0.17 + 0.22 * Float(index)
            let shape = area.box(
                x - 0.035,
                area.height - 0.145,
                0.07,
                0.07,
                corner: index % 2 == 0 ? 0.035 : 0.018
            )
            cutout.fill(shape, index == 0 ? tint : ink, opacity: index == 0 ? 1 : 0.25)
        }
    }

    /// A line of text that cannot be read.
    private func bar(
        _ area: ScreenArea,
        _ x: Float,
        _ y: Float,
        _ width: Float,
        _ height: Float,
        _ opacity: Float,
        on cutout: inout Cutout
    ) {
        cutout.fill(area.box(x, y, width, height, corner: height / 2), ink, opacity: opacity)
    }

    mutating func paintGrid(_ area: ScreenArea, on cutout: inout Cutout) {
        let top = paintTitle(area, on: &cutout)
        let columns = isTall(area) ? 2 : 3
        let side = (0.88 - 0.03 * Float(columns - 1)) / Float(columns)
        let rows = max(1, Int((area.height - top) / (side + 0.03)))
        for row in 0..<rows {
            for column in 0..<columns {
                let x = 0.06 + Float(column) * (side + 0.03)
                photo(area.part(x, top + Float(row) * (side + 0.03), side, side), corner: 0.04, on: &cutout)
            }
        }
        paintTabs(area, on: &cutout)
    }

    mutating func paintList(_ area: ScreenArea, on cutout: inout Cutout) {
        let top = paintTitle(area, on: &cutout)
        let step: Float = 0.205
        for row in 0..<max(1, Int((area.height - top - 0.02) / step)) {
            let y = top + Float(row) * step
            cutout.fill(area.box(0.05, y, 0.9, step - 0.03, corner: 0.045), card)
            let paint = Paint(lightness: 0.72, chroma: 0.15, hue: palette.hue + Float(row) * 0.07)
            cutout.fill(area.box(0.085, y + 0.032, 0.11, 0.11, corner: 0.034), paint)
            let mark = area.part(0.085, y + 0.032, 0.11, 0.11)
            cutout.fill(mark.disc(0.5, 0.5, 0.2), .white, opacity: 0.85)
            bar(area, 0.24, y + 0.047, random.number(0.28...0.5), 0.032, 0.8, on: &cutout)
            bar(area, 0.24, y + 0.1, random.number(0.2...0.42), 0.024, 0.28, on: &cutout)
            cutout.fill(
                area.path([SIMD2(0.875, y + 0.06), SIMD2(0.9, y + 0.0875), SIMD2(0.875, y + 0.115)], 0.014),
                ink,
                opacity: 0.3
            )
        }
        paintTabs(area, on: &cutout)
    }

    mutating func paintHero(_ area: ScreenArea, on cutout: inout Cutout) {
        let tall = isTall(area)
        let height: Float = tall ? 0.95 : 0.5
        photo(
            area.part(tall ? 0 : 0.05, tall ? 0 : 0.06, tall ? 1 : 0.9, height),
            corner: tall ? 0.09 : 0.04,
            on: &cutout
        )
        let top = height + (tall ? 0.08 : 0.12)
        cutout.fill(area.text(random.one(of: Self.titles), 0.07, top, 0.06), ink)
        for (index, width) in [Float(0.84), 0.78, 0.5].enumerated() {
            bar(area, 0.07, top + 0.12 + Float(index) * 0.055, width, 0.024, 0.3, on: &cutout)
        }
        cutout.fill(area.box(0.07, top + 0.32, 0.86, 0.13, corner: 0.05), tint)
        cutout.fill(area.text("START", 0.42, top + 0.362, 0.046, weight: 0.2), .white)
        paintTabs(area, on: &cutout)
    }

    mutating func paintChart(_ area: ScreenArea, on cutout: inout Cutout) {
        let top = paintTitle(area, on: &cutout)
        let height: Float = isTall(area) ? 0.62 : 0.5
        cutout.fill(area.box(0.05, top, 0.9, height, corner: 0.05), card)
        cutout.fill(area.text("\(random.whole(12...98)).\(random.whole(0...9))", 0.1, top + 0.06, 0.08), ink)
        bar(area, 0.1, top + 0.17, 0.25, 0.022, 0.28, on: &cutout)
        for index in 0..<7 {
            let tall = random.number(0.06...0.3) * (height - 0.24) / 0.3
            let shape = area.box(
                0.12 + 0.112 * Float(index),
                top + height - 0.05 - tall,
                0.07,
                tall,
                corner: 0.025
            )
            cutout.fill(shape, index == 4 ? palette.accent : tint, opacity: index == 4 ? 1 : 0.85)
        }
        paintCards(area, top + height + 0.04, on: &cutout)
        paintTabs(area, on: &cutout)
    }

    /// Two small cards side by side.
    private mutating func paintCards(_ area: ScreenArea, _ top: Float, on cutout: inout Cutout) {
        for index in 0..<2 {
            let x = 0.05 + 0.465 * Float(index)
            cutout.fill(area.box(x, top, 0.435, 0.36, corner: 0.05), card)
            cutout.fill(area.disc(x + 0.09, top + 0.09, 0.042), index == 0 ? tint : palette.accent)
            cutout.fill(area.text("\(random.whole(3...89))", x + 0.055, top + 0.175, 0.066), ink)
            bar(area, x + 0.05, top + 0.285, 0.24, 0.022, 0.28, on: &cutout)
        }
    }
}
