import CalotypePlatform

// Scenes dominated by the sky or by what floats in it.
extension SampleMotif {
    func paintAurora(on canvas: inout Canvas, _ random: inout SeededRandom) {
        var light = Daylight.night
        light.horizon = random.one(of: [Paint(0x163b4a), Paint(0x2a2a5a), Paint(0x1d4a3a)])
        var sky = Sky(light, horizon: random.number(0.72...0.85), aspect: canvas.aspect, &random)
        sky.cloudiness = 0
        sky.sunRadius = 0.004
        sky.paint(on: &canvas, &random)
        let hue = random.number(0.33...0.5)
        for _ in 0..<random.whole(2...4) {
            let wave = Noise(&random)
            let streaks = Noise(&random)
            let centre = sky.horizon * random.number(0.35...0.75)
            let tall = random.number(0.3...0.5)
            let low = Paint(hue: hue + random.number(-0.04...0.04), saturation: 0.75, value: 0.9)
            let high = Paint(hue: random.number(0.72...0.9), saturation: 0.7, value: 0.7)
            canvas.shade(x: 0...canvas.aspect, y: 0...sky.horizon) { x, y, old in
                let foot = centre + 0.28 * (wave.fractal(x * 1.6, 0, octaves: 3) - 0.5)
                let up = foot - y
                let rise = up < 0 ? ramp(up, -0.05, 0) : powf(max(0, 1 - up / tall), 1.6)
                let curtain = 0.25 + streaks.fractal(x * 16, y * 0.8, octaves: 2)
                return old + low.mixed(high, ramp(up, 0.05, tall)) * (rise * curtain * 0.75)
            }
        }
        let trees = Noise(&random)
        canvas.below({ x in
            sky.horizon - 0.05 * trees.value(x * 3, 1) - 0.07 * abs(trees.value(x * 40, 5) - 0.5)
        }) { _, _, depth in
            Paint(0x04080c).mixed(light.horizon * 0.5, ramp(depth, 0.05, 0.4) * 0.6)
        }
    }

    func paintBalloons(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let light = random.one(of: [Daylight.dawn, .morning, .golden, .noon, .sunset])
        let sky = Sky(light, horizon: random.number(0.75...0.9), aspect: canvas.aspect, &random)
        sky.paint(on: &canvas, &random)
        for layer in 0..<3 {
            let hills = Noise(&random)
            let near = Float(layer) / 2
            let ground = Paint(hue: random.number(0.08...0.3), saturation: 0.4, value: 0.5 - near * 0.2)
            canvas.below({
                sky.horizon - 0.06 + near * 0.12 - 0.09 * hills.fractal($0 * (1.5 + near), near, octaves: 5)
            }) { _, _, _ in
                (ground * light.ambient).mixed(light.horizon, 0.65 - near * 0.5)
            }
        }
        let count = random.whole(4...9)
        for index in 0..<count {
            let near = Float(index) / Float(count)
            let radius = 0.025 + 0.13 * near * near * random.number(0.6...1.1)
            let x = canvas.aspect * random.number(0.06...0.94)
            let y = random.number(0.14...(sky.horizon - 0.25))
            paintBalloon(on: &canvas, x, y, radius, light, &random)
        }
    }

    private func paintBalloon(
        on canvas: inout Canvas,
        _ cx: Float,
        _ cy: Float,
        _ radius: Float,
        _ light: Daylight,
        _ random: inout SeededRandom
    ) {
        let hue = random.number(0...1)
        let first = Paint(hue: hue, saturation: 0.8, value: 0.9)
        let second =
            random.chance(0.5) ? Paint(0xf6efe0) : Paint(hue: hue + 0.12, saturation: 0.85, value: 0.95)
        let gores = Float(random.whole(4...7))
        let edge = canvas.pixel * 1.5
        canvas.shade(
            x: (cx - radius * 1.1)...(cx + radius * 1.1),
            y: (cy - radius * 1.1)...(cy + radius * 1.6)
        ) { x, y, old in
            let v = (y - cy) / radius
            // A sphere at the top that narrows to a mouth at the bottom.
            let reach = v < 0.25 ? sqrtf(max(0, 1 - v * v)) : max(0.14, 0.968 - (v - 0.25) * 0.75)
            guard v > -1, v < 1.36 else { return old }
            let u = (x - cx) / (radius * reach)
            guard abs(u) < 1 + edge / radius else { return old }
            let panel = sinf(asinf(max(-1, min(1, u))) * gores * 2) > 0 ? first : second
            let round = 0.55 + 0.5 * ramp(-u * 0.7 - v * 0.5, -1, 1)
            return old.mixed(panel * round * light.ambient, ramp((1 - abs(u)) * radius * reach, -edge, edge))
        }
        let basket = radius * 0.13
        canvas.box(
            (cx - basket)...(cx + basket),
            (cy + radius * 1.5)...(cy + radius * 1.68),
            Paint(0x5a3a22) * light.ambient
        )
    }

    func paintForest(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let light = random.one(of: [Daylight.dawn, .morning, .golden, .overcast, .storm, .sunset])
        let mist = light.horizon.mixed(
            Paint(hue: random.number(0.2...0.55), saturation: 0.3, value: 0.8),
            0.35
        )
        let sunX = canvas.aspect * random.number(0.2...0.8)
        canvas.shade { x, y, _ in
            mist.mixed(light.middle, ramp(y, 0.6, 0)) + light.sun
                * (0.3 * max(0, 1 - hypotf(x - sunX, y - 0.3) * 1.4))
        }
        let layers = random.whole(5...6)
        let green = Paint(hue: random.number(0.25...0.5), saturation: 0.55, value: 0.2)
        let autumn = random.chance(0.35)
        for layer in 0..<layers {
            let near = Float(layer + 1) / Float(layers)
            let ground = 0.5 + near * 0.45
            let leaf = autumn ? Paint(hue: random.number(0.02...0.13), saturation: 0.8, value: 0.45) : green
            let tone = (leaf * light.ambient).mixed(mist, (1 - near) * 0.85)
            let hills = Noise(&random)
            canvas.below({ ground + 0.08 * (hills.fractal($0 * 2, near, octaves: 3) - 0.5) }) { _, _, depth in
                tone.mixed(mist, ramp(depth, 0, 0.25) * 0.55)
            }
            for _ in 0..<Int(canvas.aspect * (16 - near * 9)) {
                let x = canvas.aspect * random.number(-0.05...1.05)
                let tall = (0.14 + near * 0.42) * random.number(0.7...1.25)
                let foot = ground + 0.08 * (hills.fractal(x * 2, near, octaves: 3) - 0.5) + 0.03
                paintConifer(on: &canvas, x, foot, tall, tone * random.number(0.85...1.12))
            }
        }
    }

    private func paintConifer(
        on canvas: inout Canvas,
        _ cx: Float,
        _ foot: Float,
        _ tall: Float,
        _ paint: Paint
    ) {
        let half = tall * 0.2
        let edge = canvas.pixel * 1.5
        canvas.shade(x: (cx - half)...(cx + half), y: (foot - tall)...foot) { x, y, old in
            let t = (y - foot + tall) / tall
            let tier = (t * 9).truncatingRemainder(dividingBy: 1)
            let reach = half * t * (0.62 + 0.38 * tier) + tall * 0.004
            return old.mixed(paint * (0.9 + 0.2 * tier), ramp(reach - abs(x - cx), -edge, edge))
        }
    }
}
