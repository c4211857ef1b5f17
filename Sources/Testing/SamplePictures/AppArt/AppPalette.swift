/// The colours of a made-up app: a ground of two neighbouring hues, what stands on it, and one colour that stands out.
struct AppPalette {
    /// How ground and glyph go together.
    enum Style {
        /// White on a bright ground.
        case vivid
        /// Coloured on white.
        case light
        /// Bright on near black.
        case dark
        /// Deep on pale.
        case pastel
    }

    let style: Style
    let top: Paint
    let bottom: Paint
    /// The glyph, from its top to its bottom.
    let glyphTop: Paint
    let glyphBottom: Paint
    let accent: Paint
    /// The hue that everything goes back to, 0 to 1.
    let hue: Float

    init(_ random: inout SeededRandom) {
        // Without dark yellow, which looks like mud.
        let hue = 0.36 + 0.82 * random.number(0...1)
        let turn = random.number(0.06...0.13) * (random.chance(0.5) ? 1 : -1)
        let far = hue + random.one(of: [0.33, 0.42, 0.5, -0.33]) + random.number(-0.03...0.03)
        self.hue = hue
        let draw = random.unit()
        switch draw {
        case ..<0.58:
            style = .vivid
            top = Paint(lightness: 0.76, chroma: 0.16, hue: hue + turn)
            bottom = Paint(lightness: 0.56, chroma: 0.2, hue: hue)
            glyphTop = .white
            glyphBottom = Paint(lightness: 0.95, chroma: 0.03, hue: hue)
            accent = Paint(lightness: 0.86, chroma: 0.15, hue: far)
        case ..<0.72:
            style = .light
            top = .white
            bottom = Paint(lightness: 0.93, chroma: 0.02, hue: hue)
            glyphTop = Paint(lightness: 0.72, chroma: 0.18, hue: hue + turn)
            glyphBottom = Paint(lightness: 0.55, chroma: 0.21, hue: hue)
            accent = Paint(lightness: 0.78, chroma: 0.16, hue: far)
        case ..<0.86:
            style = .dark
            top = Paint(lightness: 0.33, chroma: 0.05, hue: hue)
            bottom = Paint(lightness: 0.18, chroma: 0.04, hue: hue)
            glyphTop = Paint(lightness: 0.87, chroma: 0.15, hue: hue + turn)
            glyphBottom = Paint(lightness: 0.7, chroma: 0.19, hue: hue)
            accent = Paint(lightness: 0.8, chroma: 0.17, hue: far)
        default:
            style = .pastel
            top = Paint(lightness: 0.93, chroma: 0.06, hue: hue + turn)
            bottom = Paint(lightness: 0.85, chroma: 0.09, hue: hue)
            glyphTop = Paint(lightness: 0.45, chroma: 0.13, hue: hue)
            glyphBottom = Paint(lightness: 0.36, chroma: 0.12, hue: hue)
            accent = Paint(lightness: 0.68, chroma: 0.19, hue: far)
        }
    }

    /// The ground's colour, as deep as buttons are.
    var bottomTint: Paint { style == .light ? glyphBottom : bottom }

    /// The ground at a height.
    func ground(_ y: Float) -> Paint {
        top.mixed(bottom, max(0, min(1, y)))
    }

    /// Paints a glyph with its shadow.
    func paint(_ layers: [AppGlyphLayer], on cutout: inout Cutout) {
        let shadow = bottom.mixed(.black, 0.55)
        let depth: Float = style == .dark ? 0.4 : 0.22
        for layer in layers where layer.tone != .hole && layer.tone != .soft {
            cutout.fill(layer.shape.moved(0.006, 0.028), opacity: depth, softness: 0.05) { _, _ in shadow }
        }
        for layer in layers {
            cutout.fill(layer.shape, opacity: layer.opacity) { _, y in colour(layer.tone, y) }
        }
    }

    private func colour(_ tone: AppGlyphLayer.Tone, _ y: Float) -> Paint {
        switch tone {
        case .main, .soft: glyphTop.mixed(glyphBottom, max(0, min(1, (y - 0.2) / 0.6)))
        case .accent: accent
        case .hole: ground(y)
        case .light: .white
        }
    }
}
