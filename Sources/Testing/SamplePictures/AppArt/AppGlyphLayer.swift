/// A part of a glyph: a shape and what it is painted with.
struct AppGlyphLayer: Sendable {
    enum Tone: Sendable {
        case main, accent
        /// The main colour, see-through.
        case soft
        /// The ground.
        case hole
        case light
    }

    let shape: Outline
    let tone: Tone
    var opacity: Float = 1

    static func main(_ shape: Outline) -> AppGlyphLayer { AppGlyphLayer(shape: shape, tone: .main) }

    static func main(_ shapes: Outline...) -> AppGlyphLayer {
        AppGlyphLayer(shape: .joined(shapes), tone: .main)
    }

    static func accent(_ shape: Outline) -> AppGlyphLayer { AppGlyphLayer(shape: shape, tone: .accent) }

    static func hole(_ shapes: Outline...) -> AppGlyphLayer {
        AppGlyphLayer(shape: .joined(shapes), tone: .hole)
    }

    static func soft(_ shape: Outline, _ opacity: Float = 0.55) -> AppGlyphLayer {
        AppGlyphLayer(shape: shape, tone: .soft, opacity: opacity)
    }

    static func light(_ shape: Outline, _ opacity: Float = 0.7) -> AppGlyphLayer {
        AppGlyphLayer(shape: shape, tone: .light, opacity: opacity)
    }
}
