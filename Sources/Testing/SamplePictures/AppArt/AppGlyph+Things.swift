/// The glyphs in a unit square: things of every day.
extension AppArtwork.Glyph {
    /// The parts, back to front.
    var thingLayers: [AppGlyphLayer] {
        switch self {
        case .heart: Self.heartLayers
        case .cup: Self.cupLayers
        case .leaf: Self.leafLayers
        case .flame: Self.flameLayers
        case .book: Self.bookLayers
        case .star: Self.starLayers
        case .bubble: Self.bubbleLayers
        case .tiles: Self.tileLayers
        case .rocket: Self.rocketLayers
        default: Self.pawLayers
        }
    }

    private static let heartLayers: [AppGlyphLayer] = [
        .main(
            .tear(0.385, 0.42, radius: 0.15, tip: 0.5, 0.79),
            .tear(0.615, 0.42, radius: 0.15, tip: 0.5, 0.79),
            .polygon([SIMD2(0.39, 0.42), SIMD2(0.5, 0.38), SIMD2(0.61, 0.42), SIMD2(0.5, 0.78)], corner: 0)
        ),
        .hole(
            .within(
                .disc(0.385, 0.415, radius: 0.085),
                .without(.disc(0.385, 0.415, radius: 0.085), .disc(0.41, 0.445, radius: 0.085))
            )
        ),
    ]

    private static let cupLayers: [AppGlyphLayer] = [
        .main(
            .within(.box(0.46, 0.48, 0.2, 0.25, corner: 0.15), .box(0.46, 0.6, 0.25, 0.15, corner: 0.01)),
            .within(.ring(0.655, 0.545, radius: 0.075, width: 0.045), .box(0.755, 0.55, 0.1, 0.2, corner: 0))
        ),
        .main(.line(0.26, 0.79, 0.68, 0.79, width: 0.04)),
        .accent(
            .path([SIMD2(0.39, 0.38), SIMD2(0.42, 0.33), SIMD2(0.38, 0.27), SIMD2(0.41, 0.21)], width: 0.035)
        ),
        .accent(
            .path([SIMD2(0.52, 0.38), SIMD2(0.55, 0.33), SIMD2(0.51, 0.27), SIMD2(0.54, 0.21)], width: 0.035)
        ),
    ]

    private static let leafLayers: [AppGlyphLayer] = [
        .main(.lens(0.29, 0.71, 0.77, 0.23, bulge: 0.55)),
        .hole(
            .path([SIMD2(0.23, 0.77), SIMD2(0.62, 0.38)], width: 0.032),
            .line(0.43, 0.57, 0.43, 0.43, width: 0.026),
            .line(0.43, 0.57, 0.57, 0.57, width: 0.026)
        ),
        .main(.line(0.23, 0.77, 0.3, 0.7, width: 0.04)),
    ]

    private static let flameLayers: [AppGlyphLayer] = [
        .main(
            .tear(0.5, 0.6, radius: 0.21, tip: 0.56, 0.17),
            .tear(0.42, 0.62, radius: 0.14, tip: 0.33, 0.34)
        ),
        .accent(.tear(0.5, 0.67, radius: 0.115, tip: 0.53, 0.43)),
    ]

    private static let bookLayers: [AppGlyphLayer] = [
        .main(
            .polygon(
                [SIMD2(0.21, 0.31), SIMD2(0.475, 0.37), SIMD2(0.475, 0.74), SIMD2(0.21, 0.67)],
                corner: 0.02
            )
        ),
        .main(
            .polygon(
                [SIMD2(0.79, 0.31), SIMD2(0.525, 0.37), SIMD2(0.525, 0.74), SIMD2(0.79, 0.67)],
                corner: 0.02
            )
        ),
        .hole(
            .line(0.27, 0.43, 0.41, 0.46, width: 0.026),
            .line(0.27, 0.51, 0.41, 0.54, width: 0.026),
            .line(0.27, 0.59, 0.36, 0.61, width: 0.026)
        ),
        .accent(
            .polygon(
                [
                    SIMD2(0.64, 0.33), SIMD2(0.72, 0.31), SIMD2(0.72, 0.53), SIMD2(0.68, 0.49),
                    SIMD2(0.64, 0.545),
                ],
                corner: 0.004
            )
        ),
    ]

    private static let starLayers: [AppGlyphLayer] = [
        .main(.star(0.5, 0.52, 0.33)), .accent(.star(0.5, 0.53, 0.15)),
    ]

    private static let bubbleLayers: [AppGlyphLayer] = [
        .main(
            .box(0.5, 0.46, 0.31, 0.22, corner: 0.18),
            .polygon([SIMD2(0.3, 0.58), SIMD2(0.27, 0.79), SIMD2(0.5, 0.66)], corner: 0.012)
        ),
        .hole(.disc(0.375, 0.46, radius: 0.042), .disc(0.625, 0.46, radius: 0.042)),
        .accent(.disc(0.5, 0.46, radius: 0.042)),
    ]

    private static let tileLayers: [AppGlyphLayer] = [
        .main(.box(0.365, 0.365, 0.12, 0.12, corner: 0.045)),
        .accent(.box(0.635, 0.365, 0.12, 0.12, corner: 0.045)),
        .soft(.box(0.365, 0.635, 0.12, 0.12, corner: 0.045), 0.6),
        .main(.box(0.635, 0.635, 0.12, 0.12, corner: 0.045)),
    ]

    private static let rocketLayers: [AppGlyphLayer] = [
        .accent(.tear(0.5, 0.71, radius: 0.065, tip: 0.5, 0.87)),
        .soft(
            .polygon(
                [SIMD2(0.42, 0.52), SIMD2(0.29, 0.66), SIMD2(0.31, 0.74), SIMD2(0.45, 0.68)],
                corner: 0.015
            ),
            0.75
        ),
        .soft(
            .polygon(
                [SIMD2(0.58, 0.52), SIMD2(0.71, 0.66), SIMD2(0.69, 0.74), SIMD2(0.55, 0.68)],
                corner: 0.015
            ),
            0.75
        ),
        .main(.within(.lens(0.5, 0.14, 0.5, 0.9, bulge: 0.42), .box(0.5, 0.4, 0.3, 0.31, corner: 0))),
        .accent(.disc(0.5, 0.42, radius: 0.075)), .hole(.disc(0.5, 0.42, radius: 0.045)),
    ]

    private static let pawLayers: [AppGlyphLayer] = [
        .main(
            .ellipse(0.27, 0.47, SIMD2(0.065, 0.09), turn: -0.4),
            .ellipse(0.41, 0.34, SIMD2(0.07, 0.1), turn: -0.12),
            .ellipse(0.59, 0.34, SIMD2(0.07, 0.1), turn: 0.12),
            .ellipse(0.73, 0.47, SIMD2(0.065, 0.09), turn: 0.4)
        ),
        .main(
            .disc(0.5, 0.58, radius: 0.12),
            .disc(0.41, 0.67, radius: 0.095),
            .disc(0.59, 0.67, radius: 0.095)
        ),
    ]
}
