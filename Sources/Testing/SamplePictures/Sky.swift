import Glibc

/// The upper part of most scenes: gradient, clouds, sun or moon, stars.
struct Sky {
    var light: Daylight
    /// Where the ground begins, from the top.
    var horizon: Float
    /// The sun's place.
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

    /// Clouds are drawn as through perspective: flat and small near the horizon.
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
