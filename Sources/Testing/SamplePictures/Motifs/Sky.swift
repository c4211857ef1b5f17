import CalotypePlatform

/// The upper part of most scenes: gradient, clouds, sun or moon, stars.
struct Sky {
    var light: Daylight
    /// The start of the ground, measured from the top.
    var horizon: Float
    /// The sun's position.
    var sunX: Float
    var sunY: Float
    var cloudiness: Float
    var sunRadius: Float

    init(_ light: Daylight, horizon: Float, aspect: Float, _ random: inout SeededRandom) {
        self.light = light
        self.horizon = horizon
        sunX = aspect * random.number(0.15...0.85)
        sunY = horizon * random.number(0.35...0.85)
        cloudiness = random.number(0.1...0.75)
        sunRadius = random.number(0.025...0.06)
    }

    func colour(_ y: Float) -> Paint {
        let t = min(1, y / horizon)
        return t < 0.55
            ? light.zenith.mixed(light.middle, ramp(t, 0, 0.55))
            : light.middle.mixed(light.horizon, ramp(t, 0.55, 1))
    }

    func paint(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let noise = Noise(&random)
        let stretch = random.number(1.4...3.2)
        canvas.shade { x, y, _ in
            y > horizon ? light.horizon : clouds(over: colour(y), x, y, noise, stretch)
        }
        if light.isDark { stars(on: &canvas, &random) }
        canvas.glow(sunX, sunY, sunRadius * 14, light.sun, strength: light.isDark ? 0.28 : 0.5)
        canvas.disc(sunX, sunY, sunRadius, light.sun * 1.6, softness: light.isDark ? 0.003 : sunRadius * 0.5)
    }

    /// Draws clouds in perspective: flat and small near the horizon.
    private func clouds(over sky: Paint, _ x: Float, _ y: Float, _ noise: Noise, _ stretch: Float) -> Paint {
        let depth = 1 / (1.15 - min(1, y / horizon))
        let density = noise.fractal(x * stretch * (0.6 + 0.25 * depth), y * stretch * 2.2 * depth, octaves: 5)
        let cover = ramp(density, 0.72 - cloudiness * 0.32, 0.92 - cloudiness * 0.2)
        let lit = light.cloud.mixed(light.zenith, ramp(density, 0.62, 0.95) * 0.55)
        return sky.mixed(lit, cover * 0.85)
    }

    private func stars(on canvas: inout Canvas, _ random: inout SeededRandom) {
        for _ in 0..<Int(160 * canvas.aspect) {
            let y = horizon * random.number(0...0.9)
            let strength = random.number(0.2...0.9) * (1 - y / horizon)
            let radius = random.number(0.0008...0.0022)
            canvas.disc(canvas.aspect * random.number(0...1), y, radius, .white, opacity: strength)
        }
    }
}

/// The light of a scene: the colours of the sky, and the tint of what is below.
struct Daylight: Sendable {
    /// The sky overhead.
    var zenith: Paint
    /// The sky between overhead and the horizon.
    var middle: Paint
    /// The sky at the horizon.
    ///
    /// Distant things fade into it.
    var horizon: Paint
    /// The sun's or moon's disc, and its light.
    var sun: Paint
    /// The colour of the light on everything; white at noon.
    var ambient: Paint
    /// The sunlit parts of clouds.
    var cloud: Paint
    /// Whether windows and lamps are lit, and stars visible.
    var isDark = false

    static let dawn = Daylight(
        zenith: Paint(0x5b6ea8),
        middle: Paint(0xd8a3b4),
        horizon: Paint(0xffd9b0),
        sun: Paint(0xfff0cf),
        ambient: Paint(0xe0c4c4),
        cloud: Paint(0xffc9bd)
    )
    static let morning = Daylight(
        zenith: Paint(0x3f86c8),
        middle: Paint(0x8fc1e6),
        horizon: Paint(0xe6f1f0),
        sun: Paint(0xfffbe8),
        ambient: Paint(0xf2f4ec),
        cloud: Paint(0xffffff)
    )
    static let noon = Daylight(
        zenith: Paint(0x1560b8),
        middle: Paint(0x4a9be0),
        horizon: Paint(0xbfe0f2),
        sun: Paint(0xffffff),
        ambient: Paint(0xffffff),
        cloud: Paint(0xffffff)
    )
    static let golden = Daylight(
        zenith: Paint(0x4f7aa6),
        middle: Paint(0xe8b673),
        horizon: Paint(0xffdf8e),
        sun: Paint(0xfff2b8),
        ambient: Paint(0xffd79a),
        cloud: Paint(0xffe0a6)
    )
    static let sunset = Daylight(
        zenith: Paint(0x3b2f6b),
        middle: Paint(0xc44f6a),
        horizon: Paint(0xff9a3d),
        sun: Paint(0xffe08a),
        ambient: Paint(0xd98a72),
        cloud: Paint(0xff8a6b)
    )
    static let dusk = Daylight(
        zenith: Paint(0x141b45),
        middle: Paint(0x48407f),
        horizon: Paint(0xe08a78),
        sun: Paint(0xffc08a),
        ambient: Paint(0x6d6590),
        cloud: Paint(0x9a6a95),
        isDark: true
    )
    static let night = Daylight(
        zenith: Paint(0x04091c),
        middle: Paint(0x0c1a3c),
        horizon: Paint(0x27406b),
        sun: Paint(0xeef3ff),
        ambient: Paint(0x33456e),
        cloud: Paint(0x24365e),
        isDark: true
    )
    static let overcast = Daylight(
        zenith: Paint(0x8796a3),
        middle: Paint(0xb4bfc6),
        horizon: Paint(0xdde2e2),
        sun: Paint(0xf4f4ee),
        ambient: Paint(0xc9d0d2),
        cloud: Paint(0xd8dcde)
    )
    static let storm = Daylight(
        zenith: Paint(0x26333f),
        middle: Paint(0x4a6270),
        horizon: Paint(0xb8c0a4),
        sun: Paint(0xf2efc8),
        ambient: Paint(0x8b9a98),
        cloud: Paint(0x6b7a84)
    )

    static let all = [dawn, morning, noon, golden, sunset, dusk, night, overcast, storm]
    static let bright = [dawn, morning, noon, golden, overcast]
    static let low = [dawn, golden, sunset, dusk, storm]
}
