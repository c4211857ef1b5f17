import Glibc

extension Paint {
    /// Creates a colour that is as light and as vivid to the eye as another of the same numbers and another hue, 0 to 1; a
    /// chroma that sRGB does not reach is lowered.
    init(lightness: Float, chroma: Float, hue: Float) {
        var chroma = chroma
        var paint = Paint(oklab: lightness, chroma, hue)
        while chroma > 0.004, min(paint.r, paint.g, paint.b) < 0 || max(paint.r, paint.g, paint.b) > 1 {
            chroma *= 0.95
            paint = Paint(oklab: lightness, chroma, hue)
        }
        self = paint
    }

    /// The colour of a lightness, a chroma and a hue from 0 to 1, which may lie outside of sRGB.
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
