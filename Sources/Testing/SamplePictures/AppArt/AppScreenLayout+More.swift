import Glibc

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
