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

extension AppScreen {
    mutating func paintPlayer(_ area: ScreenArea, on cutout: inout Cutout) {
        let tall = area.height > 1.4
        let side: Float = tall ? 0.8 : 0.46
        let top: Float = tall ? 0.24 : 0.08
        photo(area.part(0.5 - side / 2, top, side, side), corner: 0.06, on: &cutout)
        let below = top + side + 0.09
        let title = random.one(of: Self.titles)
        cutout.fill(area.text(title, 0.5 - Lettering.width(title) * 0.03, below, 0.06), ink)
        cutout.fill(area.box(0.32, below + 0.1, 0.36, 0.024, corner: 0.012), ink, opacity: 0.3)
        cutout.fill(area.box(0.1, below + 0.2, 0.8, 0.016, corner: 0.008), ink, opacity: 0.18)
        let played = random.number(0.2...0.6)
        cutout.fill(area.box(0.1, below + 0.2, 0.8 * played, 0.016, corner: 0.008), tint)
        cutout.fill(area.disc(0.1 + 0.8 * played, below + 0.208, 0.022), tint)
        let middle = below + 0.37
        cutout.fill(area.disc(0.5, middle, 0.09), tint)
        cutout.fill(
            area.polygon(
                [SIMD2(0.477, middle - 0.035), SIMD2(0.477, middle + 0.035), SIMD2(0.535, middle)],
                corner: 0.008
            ),
            .white
        )
        for sign: Float in [-1, 1] {
            for offset: Float in [0.2, 0.25] {
                let x = 0.5 + sign * offset
                let points = [
                    SIMD2(x - sign * 0.02, middle - 0.032), SIMD2(x - sign * 0.02, middle + 0.032),
                    SIMD2(x + sign * 0.024, middle),
                ]
                cutout.fill(area.polygon(points, corner: 0.006), ink, opacity: 0.75)
            }
        }
    }

    mutating func paintChat(_ area: ScreenArea, on cutout: inout Cutout) {
        var y: Float = area.height > 1.4 ? 0.22 : 0.07
        cutout.fill(area.disc(0.13, y + 0.05, 0.06), palette.accent)
        cutout.fill(
            area.text(random.one(of: ["ADA", "CHIDI", "HANNA", "EMRE"]), 0.23, y + 0.022, 0.052),
            ink
        )
        y += 0.17
        while y < area.height - 0.47 {
            let isMine = random.chance(0.5)
            let lines = random.whole(1...3)
            let width = random.number(0.38...0.66)
            let height = 0.09 + 0.055 * Float(lines)
            let x: Float = isMine ? 0.94 - width : 0.06
            cutout.fill(area.box(x, y, width, height, corner: 0.06), isMine ? tint : card)
            for line in 0..<lines {
                let end: Float = line == lines - 1 ? 0.55 : 0.82
                cutout.fill(
                    area.box(
                        x + 0.05,
                        y + 0.055 + 0.055 * Float(line),
                        (width - 0.1) * end,
                        0.024,
                        corner: 0.012
                    ),
                    isMine ? .white : ink,
                    opacity: isMine ? 0.85 : 0.45
                )
            }
            y += height + 0.035
        }
        cutout.fill(area.box(0.05, area.height - 0.2, 0.76, 0.11, corner: 0.055), card)
        cutout.fill(area.disc(0.9, area.height - 0.145, 0.055), tint)
    }

    mutating func paintMap(_ area: ScreenArea, on cutout: inout Cutout) {
        let frame = area.all(corner: area.height > 1.4 ? 0.09 : 0.02)
        let land = isDark ? Paint(0x20252e) : Paint(0xeef0e6)
        cutout.fill(frame, land)
        let parts = (Paint(0xbfe3c0), Paint(0xa9d6f2))
        let (park, water) = isDark ? (Paint(0x24402f), Paint(0x1d3a55)) : parts
        cutout.fill(.within(area.disc(random.number(0.1...0.4), random.number(0.2...0.6), 0.26), frame), park)
        let bend = random.number(0.3...0.7)
        let river = [
            SIMD2(-0.1, bend), SIMD2(0.3, bend + 0.2), SIMD2(0.6, bend + 0.1), SIMD2(1.1, bend + 0.45),
        ]
        cutout.fill(.within(area.path(river, 0.11), frame), water)
        for index in 0..<9 {
            let shift = Float(index) * 0.24 - 0.3 + random.number(-0.04...0.04)
            let tilt = random.number(-0.1...0.1)
            let along = index % 2 == 0
            let points =
                along
                ? [SIMD2(-0.1, shift + 0.2), SIMD2(1.1, shift + 0.2 + tilt)]
                : [SIMD2(shift * 0.6 + 0.2, -0.1), SIMD2(shift * 0.6 + 0.2 + tilt, area.height + 0.1)]
            cutout.fill(
                .within(area.path(points, index % 3 == 0 ? 0.038 : 0.02), frame),
                isDark ? Paint(0x39404d) : .white
            )
        }
        let route = [
            SIMD2<Float>(0.16, area.height * 0.68), SIMD2(0.4, area.height * 0.56),
            SIMD2(0.46, area.height * 0.4), SIMD2(0.74, area.height * 0.3),
        ]
        cutout.fill(area.path(route, 0.032), tint)
        cutout.fill(area.disc(route[0].x, route[0].y, 0.035), .white)
        cutout.fill(area.disc(route[0].x, route[0].y, 0.022), tint)
        let pin = area.part(route[3].x - 0.14, route[3].y - 0.235, 0.28, 0.28)
        cutout.fill(
            .tear(
                pin.x + 0.5 * pin.width,
                pin.y + 0.41 * pin.width,
                radius: 0.215 * pin.width,
                tip: pin.x + 0.5 * pin.width,
                pin.y + 0.83 * pin.width
            ),
            palette.accent
        )
        cutout.fill(pin.disc(0.5, 0.41, 0.085), .white)
        paintMapCard(area, on: &cutout)
    }

    private mutating func paintMapCard(_ area: ScreenArea, on cutout: inout Cutout) {
        let top = area.height > 1.4 ? area.height - 0.36 : area.height - 0.26
        cutout.fill(area.box(0.05, top, 0.9, 0.2, corner: 0.06), card)
        cutout.fill(area.text("\(random.whole(4...48)) MIN", 0.1, top + 0.05, 0.054), ink)
        cutout.fill(area.box(0.1, top + 0.135, 0.3, 0.024, corner: 0.012), ink, opacity: 0.3)
        cutout.fill(area.box(0.68, top + 0.05, 0.22, 0.1, corner: 0.05), tint)
        cutout.fill(area.text("GO", 0.75, top + 0.08, 0.042, weight: 0.2), .white)
    }

    mutating func paintRings(_ area: ScreenArea, on cutout: inout Cutout) {
        let tall = area.height > 1.4
        let middle: Float = tall ? 0.6 : 0.36
        let reach: Float = tall ? 0.34 : 0.27
        let paints = [tint, palette.accent, Paint(lightness: 0.75, chroma: 0.15, hue: palette.hue + 0.2)]
        for (index, paint) in paints.enumerated() {
            let radius = reach - Float(index) * reach * 0.26
            let share = random.number(0.45...0.92)
            let points = (0...40).map { step in
                let angle = (Float(step) / 40 * share - 0.25) * 2 * .pi
                return SIMD2(0.5 + radius * cosf(angle), middle + radius * sinf(angle))
            }
            let place = SIMD2(area.x + 0.5 * area.width, area.y + middle * area.width)
            let ring = Outline.ring(
                place.x,
                place.y,
                radius: radius * area.width,
                width: reach * 0.2 * area.width
            )
            cutout.fill(ring, paint, opacity: 0.18)
            cutout.fill(area.path(points, reach * 0.2), paint)
        }
        let top = middle + reach + 0.12
        for row in 0..<max(1, min(3, Int((area.height - top) / 0.17))) {
            let y = top + Float(row) * 0.165
            cutout.fill(area.box(0.05, y, 0.9, 0.14, corner: 0.045), card)
            cutout.fill(area.disc(0.125, y + 0.07, 0.032), paints[row % 3])
            cutout.fill(
                area.box(0.2, y + 0.058, random.number(0.25...0.45), 0.026, corner: 0.013),
                ink,
                opacity: 0.7
            )
            cutout.fill(area.text("\(random.whole(10...99))", 0.8, y + 0.047, 0.048), ink)
        }
    }
}
