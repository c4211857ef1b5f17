import CalotypePlatform

/// A colour for calculations: red, green and blue, 0 for none to 1 for full, more where light adds up.
struct Paint: Sendable {
    var r: Float
    var g: Float
    var b: Float

    init(_ r: Float, _ g: Float, _ b: Float) {
        self.r = r
        self.g = g
        self.b = b
    }

    /// Creates a colour from its web notation, such as `0xff8800`.
    init(_ hex: UInt32) {
        self.init(
            Float(hex >> 16 & 255) / 255,
            Float(hex >> 8 & 255) / 255,
            Float(hex & 255) / 255
        )
    }

    /// Creates a colour from hue (0 to 1, red at both ends), saturation and value.
    init(hue: Float, saturation: Float, value: Float) {
        func channel(_ offset: Float) -> Float {
            let k = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
            return value - value * saturation * max(0, min(k, 4 - k, 1))
        }
        self.init(channel(5), channel(3), channel(1))
    }

    static let black = Paint(0, 0, 0)
    static let white = Paint(1, 1, 1)

    /// Returns this colour mixed with `other`: 0 is this one, 1 the other.
    func mixed(_ other: Paint, _ t: Float) -> Paint {
        Paint(r + (other.r - r) * t, g + (other.g - g) * t, b + (other.b - b) * t)
    }

    static func + (a: Paint, b: Paint) -> Paint { Paint(a.r + b.r, a.g + b.g, a.b + b.b) }

    static func * (a: Paint, k: Float) -> Paint { Paint(a.r * k, a.g * k, a.b * k) }

    static func * (a: Paint, b: Paint) -> Paint { Paint(a.r * b.r, a.g * b.g, a.b * b.b) }
}

/// Returns a smooth step from 0 at `from` to 1 at `to`.
func ramp(_ value: Float, _ from: Float, _ to: Float) -> Float {
    let t = max(0, min(1, (value - from) / (to - from)))
    return t * t * (3 - 2 * t)
}

extension Paint {
    /// Creates a colour from lightness, chroma and hue, each 0 to 1.
    ///
    /// Colours with equal lightness and chroma look equally light and vivid, whatever their hue. A chroma
    /// beyond sRGB is reduced.
    init(lightness: Float, chroma: Float, hue: Float) {
        var chroma = chroma
        var paint = Paint(oklab: lightness, chroma, hue)
        while chroma > 0.004, min(paint.r, paint.g, paint.b) < 0 || max(paint.r, paint.g, paint.b) > 1 {
            chroma *= 0.95
            paint = Paint(oklab: lightness, chroma, hue)
        }
        self = paint
    }

    /// Creates the colour of a lightness, a chroma and a hue from 0 to 1, which may be outside sRGB.
    ///
    /// The matrices are those of B. Ottosson, "A perceptual color space for image processing", 2020.
    init(oklab lightness: Float, _ chroma: Float, _ hue: Float) {
        let a = chroma * cosf(2 * .pi * hue)
        let b = chroma * sinf(2 * .pi * hue)
        let long = Self.cube(lightness + 0.396_337_8 * a + 0.215_803_8 * b)
        let medium = Self.cube(lightness - 0.105_561_3 * a - 0.063_854_2 * b)
        let short = Self.cube(lightness - 0.089_484_2 * a - 1.291_485_5 * b)
        self.init(
            Self.encoded(4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_9 * short),
            Self.encoded(-1.268_438 * long + 2.609_757_4 * medium - 0.341_319_4 * short),
            Self.encoded(-0.004_196_1 * long - 0.703_418_6 * medium + 1.707_614_7 * short)
        )
    }

    private static func cube(_ value: Float) -> Float { value * value * value }

    /// The transfer function of sRGB (IEC 61966-2-1).
    private static func encoded(_ value: Float) -> Float {
        value <= 0.003_130_8 ? 12.92 * value : 1.055 * powf(value, 1 / 2.4) - 0.055
    }
}
