import Glibc

/// The glyphs in a unit square: tools, maps, games.
extension AppArtwork.Glyph {
    /// The parts, back to front.
    var toolLayers: [AppGlyphLayer] {
        switch self {
        case .check: Self.checkLayers
        case .pencil: Self.pencilLayers
        case .calendar: Self.calendarLayers
        case .layers: Self.stackLayers
        case .lock: Self.lockLayers
        case .gear: Self.gearLayers
        case .compass: Self.compassLayers
        case .plane: Self.planeLayers
        case .pin: Self.pinLayers
        case .bars: Self.barLayers
        case .coin: Self.coinLayers
        case .pie: Self.pieLayers
        case .prompt: Self.promptLayers
        case .controller: Self.controllerLayers
        case .dice: Self.diceLayers
        default: thingLayers
        }
    }

    private static let checkLayers: [AppGlyphLayer] = [
        .main(.box(0.5, 0.5, 0.29, 0.29, corner: 0.09)),
        .hole(.path([SIMD2(0.365, 0.515), SIMD2(0.465, 0.615), SIMD2(0.645, 0.4)], width: 0.075)),
    ]

    private static let pencilLayers: [AppGlyphLayer] = [
        .soft(.line(0.26, 0.79, 0.74, 0.79, width: 0.045), 0.6),
        .main(
            .polygon(
                [SIMD2(0.33, 0.56), SIMD2(0.59, 0.3), SIMD2(0.71, 0.42), SIMD2(0.45, 0.68)],
                corner: 0.005
            )
        ),
        .main(.polygon([SIMD2(0.315, 0.59), SIMD2(0.42, 0.695), SIMD2(0.275, 0.735)], corner: 0.01)),
        .accent(
            .polygon(
                [SIMD2(0.625, 0.265), SIMD2(0.655, 0.235), SIMD2(0.775, 0.355), SIMD2(0.745, 0.385)],
                corner: 0.02
            )
        ),
    ]

    private static let calendarLayers: [AppGlyphLayer] = {
        let days = (0..<8).map { index in
            Outline.box(
                0.335 + 0.11 * Float(index % 4),
                0.55 + 0.12 * Float(index / 4),
                0.034,
                0.034,
                corner: 0.012
            )
        }
        let sheet = Outline.box(0.5, 0.52, 0.29, 0.27, corner: 0.07)
        return [
            .main(sheet), .accent(.within(.box(0.5, 0.32, 0.29, 0.09, corner: 0), sheet)),
            AppGlyphLayer(shape: .joined(Array(days.dropLast(3))), tone: .hole), .accent(days[5]),
            AppGlyphLayer(shape: .joined(Array(days.suffix(2))), tone: .hole, opacity: 0.4),
            .main(.line(0.38, 0.2, 0.38, 0.3, width: 0.045), .line(0.62, 0.2, 0.62, 0.3, width: 0.045)),
        ]
    }()

    private static let stackLayers: [AppGlyphLayer] = {
        let sheet = { (y: Float) in
            Outline.polygon(
                [SIMD2(0.5, y - 0.14), SIMD2(0.78, y), SIMD2(0.5, y + 0.14), SIMD2(0.22, y)],
                corner: 0.025
            )
        }
        let (back, middle, front) = (sheet(0.63), sheet(0.5), sheet(0.37))
        return [
            .soft(.without(back, middle.grown(by: 0.025)), 0.5),
            .accent(.without(middle, front.grown(by: 0.025))), .main(front),
        ]
    }()

    private static let lockLayers: [AppGlyphLayer] = [
        .main(
            .within(.ring(0.5, 0.42, radius: 0.125, width: 0.055), .box(0.5, 0.3, 0.2, 0.12, corner: 0)),
            .line(0.375, 0.42, 0.375, 0.5, width: 0.055),
            .line(0.625, 0.42, 0.625, 0.5, width: 0.055)
        ),
        .main(.box(0.5, 0.61, 0.22, 0.17, corner: 0.06)),
        .hole(.disc(0.5, 0.585, radius: 0.042), .line(0.5, 0.6, 0.5, 0.665, width: 0.036)),
    ]

    private static let gearLayers: [AppGlyphLayer] = {
        let teeth = (0..<8).map { index in
            let (dx, dy) = (cosf(Float(index) * .pi / 4 + 0.2), sinf(Float(index) * .pi / 4 + 0.2))
            return Outline.line(
                0.5 + dx * 0.1,
                0.5 + dy * 0.1,
                0.5 + dx * 0.26,
                0.5 + dy * 0.26,
                width: 0.105
            )
        }
        let wheel = Outline.joined([.disc(0.5, 0.5, radius: 0.235)] + teeth)
        return [
            .main(.without(wheel, .disc(0.5, 0.5, radius: 0.115))), .accent(.disc(0.5, 0.5, radius: 0.065)),
        ]
    }()

    private static let compassLayers: [AppGlyphLayer] = [
        .main(.ring(0.5, 0.5, radius: 0.285, width: 0.06)),
        .accent(.polygon([SIMD2(0.655, 0.345), SIMD2(0.56, 0.56), SIMD2(0.44, 0.44)], corner: 0.01)),
        .main(.polygon([SIMD2(0.345, 0.655), SIMD2(0.56, 0.56), SIMD2(0.44, 0.44)], corner: 0.01)),
        .hole(.disc(0.5, 0.5, radius: 0.03)),
    ]

    private static let planeLayers: [AppGlyphLayer] = [
        .main(.polygon([SIMD2(0.2, 0.47), SIMD2(0.81, 0.2), SIMD2(0.44, 0.56)], corner: 0.012)),
        .main(.polygon([SIMD2(0.81, 0.2), SIMD2(0.6, 0.79), SIMD2(0.48, 0.585)], corner: 0.012)),
        .accent(.polygon([SIMD2(0.4, 0.6), SIMD2(0.46, 0.63), SIMD2(0.4, 0.74)], corner: 0.012)),
    ]

    private static let pinLayers: [AppGlyphLayer] = [
        .soft(.ellipse(0.5, 0.8, SIMD2(0.14, 0.04), turn: 0), 0.4),
        .main(.tear(0.5, 0.41, radius: 0.215, tip: 0.5, 0.81)), .accent(.disc(0.5, 0.41, radius: 0.095)),
    ]

    private static let barLayers: [AppGlyphLayer] = {
        let heights: [Float] = [0.1, 0.17, 0.13, 0.25]
        return heights.enumerated().map { index, half in
            let bar = Outline.box(0.275 + 0.15 * Float(index), 0.75 - half, 0.05, half, corner: 0.035)
            return index == 3 ? .accent(bar) : .main(bar)
        }
    }()

    private static let coinLayers: [AppGlyphLayer] = [
        .soft(.disc(0.44, 0.56, radius: 0.25), 0.5), .main(.disc(0.54, 0.46, radius: 0.25)),
        AppGlyphLayer(shape: .ring(0.54, 0.46, radius: 0.2, width: 0.016), tone: .hole, opacity: 0.5),
        .accent(.star(0.54, 0.465, 0.125)),
    ]

    private static let pieLayers: [AppGlyphLayer] = [
        .main(.without(.disc(0.48, 0.53, radius: 0.28), .box(0.68, 0.33, 0.2, 0.2, corner: 0))),
        .accent(.within(.disc(0.53, 0.475, radius: 0.27), .box(0.73, 0.275, 0.2, 0.2, corner: 0))),
    ]

    private static let promptLayers: [AppGlyphLayer] = [
        .main(.box(0.5, 0.5, 0.32, 0.26, corner: 0.07)),
        .hole(.path([SIMD2(0.32, 0.41), SIMD2(0.42, 0.5), SIMD2(0.32, 0.59)], width: 0.05)),
        .accent(.line(0.51, 0.6, 0.67, 0.6, width: 0.05)),
    ]

    private static let controllerLayers: [AppGlyphLayer] = [
        .main(
            .box(0.5, 0.49, 0.32, 0.15, corner: 0.14),
            .disc(0.27, 0.58, radius: 0.105),
            .disc(0.73, 0.58, radius: 0.105)
        ),
        .hole(.line(0.27, 0.485, 0.4, 0.485, width: 0.045), .line(0.335, 0.42, 0.335, 0.55, width: 0.045)),
        .accent(.disc(0.625, 0.52, radius: 0.036)), .accent(.disc(0.7, 0.45, radius: 0.036)),
    ]

    private static let diceLayers: [AppGlyphLayer] = {
        let pips = [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)].map { x, y in
            Outline.disc(0.5 + 0.27 * Float(x), 0.5 + 0.27 * Float(y), radius: 0.048)
        }
        return [
            .main(.box(0.5, 0.5, 0.27, 0.27, corner: 0.085)),
            AppGlyphLayer(shape: .joined(pips), tone: .hole),
            .accent(.disc(0.5, 0.5, radius: 0.055)),
        ]
    }()
}
