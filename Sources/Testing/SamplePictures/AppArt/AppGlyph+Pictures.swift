import Glibc

/// The glyphs in a unit square: cameras, notes, the weather.
extension AppArtwork.Glyph {
    /// The parts, back to front.
    var layers: [AppGlyphLayer] {
        switch self {
        case .lens: Self.lensLayers
        case .aperture: Self.apertureLayers
        case .film: Self.filmLayers
        case .landscape: Self.landscapeLayers
        case .note: Self.noteLayers
        case .wave: Self.waveLayers
        case .disc: Self.discLayers
        case .equaliser: Self.equaliserLayers
        case .sun: Self.sunLayers
        case .cloud: Self.cloudLayers
        case .drop: Self.dropLayers
        case .bolt: Self.boltLayers
        case .moon: Self.moonLayers
        case .planet: Self.planetLayers
        default: toolLayers
        }
    }

    private static let lensLayers: [AppGlyphLayer] = [
        .main(
            .box(0.5, 0.54, 0.31, 0.21, corner: 0.07),
            .polygon([SIMD2(0.4, 0.3), SIMD2(0.6, 0.3), SIMD2(0.66, 0.42), SIMD2(0.34, 0.42)], corner: 0.02)
        ),
        .hole(.disc(0.5, 0.54, radius: 0.15)), .accent(.disc(0.5, 0.54, radius: 0.105)),
        .hole(.disc(0.5, 0.54, radius: 0.055)), .light(.disc(0.465, 0.5, radius: 0.024)),
        .accent(.disc(0.715, 0.43, radius: 0.025)),
    ]

    private static let apertureLayers: [AppGlyphLayer] = {
        let places = { (radius: Float, index: Int) in
            let angle = Float(index) * .pi / 3 + 0.3
            return SIMD2(0.5 + radius * cosf(angle), 0.5 + radius * sinf(angle))
        }
        let blades = (0..<6).map { index in
            let (from, to) = (places(0.33, index), places(0.125, index + 2))
            return Outline.line(from.x, from.y, to.x, to.y, width: 0.026)
        }
        return [
            .main(.disc(0.5, 0.5, radius: 0.31)), AppGlyphLayer(shape: .joined(blades), tone: .hole),
            .hole(.polygon((0..<6).map { places(0.125, $0) }, corner: 0.012)),
            .accent(.polygon((0..<6).map { places(0.085, $0) }, corner: 0.006)),
        ]
    }()

    private static let filmLayers: [AppGlyphLayer] = {
        let holes = (0..<5).flatMap { index in
            [Float(0.295), 0.705].map { x in
                Outline.box(x, 0.28 + 0.11 * Float(index), 0.026, 0.03, corner: 0.012)
            }
        }
        return [
            .main(.box(0.5, 0.5, 0.27, 0.31, corner: 0.05)),
            AppGlyphLayer(shape: .joined(holes), tone: .hole),
            .hole(.box(0.5, 0.36, 0.13, 0.1, corner: 0.02), .box(0.5, 0.64, 0.13, 0.1, corner: 0.02)),
            .accent(.polygon([SIMD2(0.46, 0.44), SIMD2(0.46, 0.57), SIMD2(0.57, 0.5)], corner: 0.03)),
        ]
    }()

    private static let landscapeLayers: [AppGlyphLayer] = [
        .main(.box(0.5, 0.5, 0.32, 0.26, corner: 0.07)),
        .hole(.box(0.5, 0.5, 0.275, 0.215, corner: 0.035)),
        .accent(.disc(0.64, 0.42, radius: 0.06)),
        .soft(
            .within(
                .polygon([SIMD2(0.4, 0.75), SIMD2(0.62, 0.5), SIMD2(0.86, 0.75)], corner: 0.015),
                .box(0.5, 0.5, 0.275, 0.215, corner: 0.035)
            ),
            0.6
        ),
        .main(
            .within(
                .polygon([SIMD2(0.14, 0.78), SIMD2(0.4, 0.43), SIMD2(0.66, 0.78)], corner: 0.015),
                .box(0.5, 0.5, 0.275, 0.215, corner: 0.035)
            )
        ),
    ]

    private static let noteLayers: [AppGlyphLayer] = [
        .main(
            .ellipse(0.37, 0.68, SIMD2(0.1, 0.078), turn: -0.35),
            .ellipse(0.655, 0.62, SIMD2(0.1, 0.078), turn: -0.35),
            .line(0.445, 0.66, 0.445, 0.32, width: 0.045),
            .line(0.73, 0.6, 0.73, 0.26, width: 0.045),
            .polygon(
                [SIMD2(0.435, 0.31), SIMD2(0.74, 0.245), SIMD2(0.74, 0.345), SIMD2(0.435, 0.41)],
                corner: 0.012
            )
        )
    ]

    private static let waveLayers: [AppGlyphLayer] = {
        let heights: [Float] = [0.07, 0.16, 0.27, 0.2, 0.11, 0.05]
        return heights.enumerated().map { index, height in
            let x = 0.245 + 0.102 * Float(index)
            let line = Outline.line(x, 0.5 - height, x, 0.5 + height, width: 0.058)
            return index == 2 ? .accent(line) : .main(line)
        }
    }()

    private static let discLayers: [AppGlyphLayer] = [
        .main(.disc(0.5, 0.5, radius: 0.32)),
        AppGlyphLayer(
            shape: .joined([
                .ring(0.5, 0.5, radius: 0.265, width: 0.012), .ring(0.5, 0.5, radius: 0.215, width: 0.012),
                .ring(0.5, 0.5, radius: 0.165, width: 0.012),
            ]),
            tone: .hole,
            opacity: 0.4
        ),
        .accent(.disc(0.5, 0.5, radius: 0.115)), .hole(.disc(0.5, 0.5, radius: 0.032)),
    ]

    private static let equaliserLayers: [AppGlyphLayer] = {
        let knobs: [(Float, Float)] = [(0.3, 0.6), (0.5, 0.36), (0.7, 0.54)]
        return knobs.map { .soft(.line($0.0, 0.24, $0.0, 0.76, width: 0.05)) }
            + knobs.enumerated().map { index, knob in
                let disc = Outline.disc(knob.0, knob.1, radius: 0.085)
                return index == 1 ? .accent(disc) : .main(disc)
            }
    }()

    private static let sunLayers: [AppGlyphLayer] = {
        let rays = (0..<8).map { index in
            let (dx, dy) = (cosf(Float(index) * .pi / 4), sinf(Float(index) * .pi / 4))
            return Outline.line(
                0.5 + dx * 0.24,
                0.5 + dy * 0.24,
                0.5 + dx * 0.31,
                0.5 + dy * 0.31,
                width: 0.055
            )
        }
        return [
            AppGlyphLayer(shape: .joined(rays), tone: .main), .main(.disc(0.5, 0.5, radius: 0.165)),
            .accent(.disc(0.5, 0.5, radius: 0.12)),
        ]
    }()

    private static let cloudLayers: [AppGlyphLayer] = [
        .accent(.disc(0.65, 0.37, radius: 0.135)),
        .main(
            .disc(0.35, 0.57, radius: 0.13),
            .disc(0.5, 0.48, radius: 0.165),
            .disc(0.66, 0.58, radius: 0.12),
            .box(0.5, 0.625, 0.28, 0.075, corner: 0.07)
        ),
    ]

    private static let dropLayers: [AppGlyphLayer] = [
        .main(.tear(0.5, 0.58, radius: 0.21, tip: 0.5, 0.16)),
        .accent(
            .within(.tear(0.5, 0.58, radius: 0.165, tip: 0.5, 0.24), .box(0.5, 0.73, 0.3, 0.15, corner: 0))
        ),
    ]

    private static let boltLayers: [AppGlyphLayer] = [
        .main(
            .polygon(
                [
                    SIMD2(0.57, 0.19), SIMD2(0.31, 0.55), SIMD2(0.475, 0.55), SIMD2(0.43, 0.81),
                    SIMD2(0.69, 0.43),
                    SIMD2(0.525, 0.43),
                ],
                corner: 0.02
            )
        )
    ]

    private static let moonLayers: [AppGlyphLayer] = [
        .main(.without(.disc(0.47, 0.52, radius: 0.28), .disc(0.6, 0.42, radius: 0.235))),
        .accent(.star(0.64, 0.36, 0.085)), .accent(.star(0.73, 0.55, 0.05)),
    ]

    private static let planetLayers: [AppGlyphLayer] = {
        let ring = Outline.without(
            .ellipse(0.5, 0.5, SIMD2(0.36, 0.115), turn: -0.4),
            .ellipse(0.5, 0.5, SIMD2(0.29, 0.065), turn: -0.4)
        )
        let front = Outline.polygon(
            [SIMD2(0, 0.711), SIMD2(1, 0.289), SIMD2(1, 1.2), SIMD2(0, 1.2)],
            corner: 0
        )
        return [
            .accent(ring), .main(.disc(0.5, 0.5, radius: 0.2)), .accent(.within(ring, front)),
            .main(.disc(0.74, 0.25, radius: 0.035)),
        ]
    }()
}
