import CalotypePlatform

// Scenes of things that people built or arranged.
extension SampleMotif {
    func paintHarbour(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let sky = Sky(
            random.one(of: Daylight.all),
            horizon: random.number(0.4...0.6),
            aspect: canvas.aspect,
            &random
        )
        sky.paint(on: &canvas, &random)
        let shore = Noise(&random)
        canvas.below({ sky.horizon - 0.06 * max(0, shore.fractal($0 * 1.7, 3, octaves: 5) - 0.42) * 4 }) {
            _,
            _,
            _ in
            (Paint(0x3a4a48) * sky.light.ambient).mixed(sky.light.horizon, 0.4)
        }
        let waves = Noise(&random)
        let sea = sky.light.zenith.mixed(Paint(0x0d4f5c) * sky.light.ambient, 0.5)
        canvas.below({ _ in sky.horizon }) { x, y, depth in
            let distance = 1 / (depth + 0.04)
            let ripple = waves.fractal(x * 1.5 * distance, depth * 14 * distance, octaves: 3)
            let mirrored = sky.colour(max(0, sky.horizon - depth * 1.3))
            let water = mirrored.mixed(sea, 0.35 + 0.5 * ramp(depth, 0, 0.5)) * (0.8 + 0.4 * ripple)
            let path = ramp(1 - abs(x - sky.sunX) / (0.03 + depth * 0.45), 0, 1) * ramp(ripple, 0.48, 0.66)
            return water.mixed(sky.light.sun, path * 0.85)
        }
        let boats = random.whole(3...7)
        for boat in 0..<boats {
            let near = Float(boat + 1) / Float(boats)
            let y = sky.horizon + 0.02 + near * near * (0.8 - sky.horizon)
            paintBoat(
                on: &canvas,
                canvas.aspect * random.number(0.05...0.95),
                y,
                0.06 + 0.22 * near * near,
                sky.light,
                &random
            )
        }
    }

    private func paintBoat(
        on canvas: inout Canvas,
        _ cx: Float,
        _ water: Float,
        _ tall: Float,
        _ light: Daylight,
        _ random: inout SeededRandom
    ) {
        let sail =
            random.chance(0.7)
            ? Paint(0xf7f1e4) : Paint(hue: random.number(0...1), saturation: 0.7, value: 0.85)
        let hull = Paint(hue: random.number(0...1), saturation: 0.6, value: 0.45) * light.ambient
        let lean = random.number(-0.12...0.12)
        let edge = canvas.pixel * 1.5
        canvas.shade(x: (cx - tall)...(cx + tall), y: (water - tall * 1.1)...(water + tall * 0.75)) {
            x,
            y,
            old in
            // Below the water line the boat appears again, upside down and fainter.
            let isMirrored = y > water
            let h = (isMirrored ? (y - water) * 1.5 : water - y) / tall
            let u = (x - cx) / tall - lean * h
            let fade: Float = isMirrored ? 0.35 : 1
            if h < 0.13 {
                let inside = (0.26 + h * 0.9 - abs(u)) * tall
                return old.mixed(hull, fade * ramp(inside, -edge, edge))
            }
            let main = min(u - 0.015, (0.98 - h) * 0.42 - u)
            let jib = min(-0.025 - u, u + (0.85 - h) * 0.38)
            let inside = max(main, jib) * tall
            let paint = sail * light.ambient * (main > jib ? 1 : 0.86)
            return old.mixed(paint, fade * ramp(inside, -edge, edge))
        }
    }

    func paintSkyline(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let light = random.one(of: [Daylight.dusk, .night, .sunset, .golden, .overcast, .morning])
        let sky = Sky(light, horizon: random.number(0.7...0.8), aspect: canvas.aspect, &random)
        sky.paint(on: &canvas, &random)
        for row in 0..<3 {
            let near = Float(row) / 2
            var x: Float = -0.05
            while x < canvas.aspect {
                let wide = random.number(0.05...0.12) * (0.7 + near * 0.7)
                let tall = random.number(0.12...0.5) * (1 - near * 0.35) * (random.chance(0.15) ? 1.3 : 1)
                let foot = sky.horizon + near * 0.06
                let wall = (Paint(0x2b3444) * random.number(0.7...1.3)).mixed(light.horizon, (1 - near) * 0.6)
                paintTower(on: &canvas, x, foot - tall, wide, foot, wall, light, near, &random)
                x += wide * random.number(0.85...1.3)
            }
        }
        let ripples = Noise(&random)
        let copy = canvas
        let shore = sky.horizon + 0.06
        canvas.below({ _ in shore }) { x, y, depth in
            let sway = (ripples.fractal(x * 9, depth * 60, octaves: 2) - 0.5) * (0.01 + depth * 0.08)
            let mirrored = copy.colour(x + sway, shore - depth * 1.6 + sway)
            return (mirrored * 0.75).mixed(light.zenith, 0.15 + depth * 0.6)
        }
    }

    private func paintTower(
        on canvas: inout Canvas,
        _ left: Float,
        _ top: Float,
        _ wide: Float,
        _ foot: Float,
        _ wall: Paint,
        _ light: Daylight,
        _ near: Float,
        _ random: inout SeededRandom
    ) {
        canvas.box(left...(left + wide), top...foot, wall)
        canvas.box((left + wide * 0.6)...(left + wide), top...foot, .black, opacity: 0.18)
        if random.chance(0.2) {
            let mast = left + wide / 2
            canvas.box((mast - 0.002)...(mast + 0.002), (top - 0.07)...top, wall)
        }
        let pitch = 0.012 + near * 0.008
        let columns = Int(wide / pitch) - 1
        let rows = Int((foot - top) / (pitch * 1.3)) - 1
        guard columns > 0, rows > 0 else { return }
        let lamp = Paint(hue: random.number(0.09...0.15), saturation: random.number(0.3...0.7), value: 1)
        for row in 0..<rows {
            for column in 0..<columns where random.chance(light.isDark ? 0.42 : 0.75) {
                let x = left + pitch * (Float(column) + 0.7)
                let y = top + pitch * 1.3 * (Float(row) + 0.7)
                let pane = light.isDark ? lamp * random.number(0.6...1.05) : light.middle * 0.8
                canvas.box(x...(x + pitch * 0.55), y...(y + pitch * 0.75), pane, opacity: 0.4 + near * 0.5)
            }
        }
    }

    func paintHouses(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let light = random.one(of: [Daylight.morning, .noon, .golden, .overcast, .dusk, .dawn])
        let sky = Sky(light, horizon: 0.8, aspect: canvas.aspect, &random)
        sky.paint(on: &canvas, &random)
        let street = random.number(0.82...0.88)
        var x: Float = random.number(-0.2...0)
        while x < canvas.aspect {
            let wide = random.number(0.2...0.34)
            paintHouse(on: &canvas, x, wide, street, light, &random)
            x += wide
        }
        let stones = Noise(&random)
        let paving = random.one(of: [Paint(0x6f6a66), Paint(0x8a7d70), Paint(0x5c6470)])
        canvas.below({ _ in street }) { x, y, depth in
            let scale = 1 / (depth + 0.12)
            let grain = stones.fractal(x * 6 * scale, depth * 30 * scale, octaves: 4)
            return paving * light.ambient * (0.55 + 0.7 * grain) * (0.75 + depth)
        }
    }

    private func paintHouse(
        on canvas: inout Canvas,
        _ left: Float,
        _ wide: Float,
        _ street: Float,
        _ light: Daylight,
        _ random: inout SeededRandom
    ) {
        let plaster = Paint(
            hue: random.number(0...1),
            saturation: random.number(0.15...0.6),
            value: random.number(0.65...0.95)
        )
        let roof =
            random.one(of: [Paint(0x8a3f2c), Paint(0x5a4a48), Paint(0xa65a38), Paint(0x3f4a58)])
            * light.ambient
        let storeys = random.whole(2...4)
        let storey: Float = 0.135
        let top = street - Float(storeys) * storey - 0.02
        let right = left + wide
        let pitch = random.number(0.3...0.85)
        let stains = Noise(&random)
        let middle = left + wide / 2
        canvas.shade(x: left...right, y: (top - wide * 0.5)...top) { x, y, old in
            old.mixed(
                roof * (0.8 + 0.4 * stains.value(x * 20, y * 120)),
                ramp((wide / 2 - abs(x - middle)) * pitch - (top - y), 0, 0.003)
            )
        }
        canvas.shade(x: left...right, y: top...street) { x, y, _ in
            let age = stains.fractal(x * 7, y * 7, octaves: 4)
            let eaves = 1 - 0.35 * ramp(y - top, 0.025, 0)
            return plaster * light.ambient * (0.82 + 0.32 * age) * eaves
        }
        canvas.box((right - 0.004)...right, top...street, .black, opacity: 0.3)
        let columns = wide > 0.27 ? 3 : 2
        let shutter = Paint(hue: random.number(0...1), saturation: 0.5, value: 0.4) * light.ambient
        for floor in 0..<storeys {
            for column in 0..<columns {
                let x = left + wide * (Float(column) + 0.5) / Float(columns)
                let y = top + 0.03 + Float(floor) * storey
                let isDoor = floor == storeys - 1 && column == columns / 2
                let lit = light.isDark && random.chance(0.6)
                let pane = lit ? Paint(0xffd27a) : light.zenith.mixed(Paint(0x1c2430), 0.55)
                paintOpening(
                    on: &canvas,
                    x,
                    y,
                    isDoor ? street : y + 0.075,
                    isDoor ? shutter : pane,
                    shutter,
                    isDoor
                )
            }
        }
    }

    private func paintOpening(
        on canvas: inout Canvas,
        _ x: Float,
        _ top: Float,
        _ bottom: Float,
        _ pane: Paint,
        _ shutter: Paint,
        _ isDoor: Bool
    ) {
        let half: Float = 0.021
        canvas.box(
            (x - half - 0.004)...(x + half + 0.004),
            (top - 0.004)...(bottom + 0.004),
            Paint(0xf0e8da),
            opacity: 0.8
        )
        canvas.box((x - half)...(x + half), top...bottom, pane)
        guard !isDoor else { return }
        canvas.box((x - 0.0015)...(x + 0.0015), top...bottom, Paint(0xf0e8da), opacity: 0.8)
        canvas.box((x - half - 0.018)...(x - half - 0.003), top...bottom, shutter)
        canvas.box((x + half + 0.003)...(x + half + 0.018), top...bottom, shutter)
    }

    func paintLights(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let dark = Paint(hue: random.number(0.55...0.95), saturation: 0.7, value: 0.16)
        let warm = random.number(0...1)
        let haze = Noise(&random)
        canvas.shade { x, y, _ in
            dark.mixed(
                Paint(hue: warm, saturation: 0.5, value: 0.3),
                haze.fractal(x * 1.3, y * 1.3, octaves: 3) * y
            )
        }
        for index in 0..<random.whole(45...80) {
            let x = canvas.aspect * random.number(-0.05...1.05)
            let y = random.number(0.1...0.95)
            let radius = random.number(0.02...0.09) * (index > 35 ? 0.55 : 1.2)
            let hue = random.chance(0.75) ? warm + random.number(-0.07...0.07) : random.number(0...1)
            let paint = Paint(hue: abs(hue), saturation: random.number(0.25...0.85), value: 1)
            let opacity = random.number(0.12...0.55)
            canvas.disc(x, y, radius, paint, opacity: opacity, softness: radius * 0.12)
            canvas.disc(x, y, radius * 0.86, paint * 0.8, opacity: opacity * 0.45, softness: radius * 0.2)
        }
    }

    func paintFruit(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let wall = Paint(
            hue: random.number(0...1),
            saturation: random.number(0.1...0.45),
            value: random.number(0.35...0.85)
        )
        let wood = random.one(of: [
            Paint(0x8a5a34), Paint(0x5b3a26), Paint(0xb98a5a), Paint(0xd9cbb5), Paint(0x4a5560),
        ])
        let table = random.number(0.52...0.62)
        let grain = Noise(&random)
        let fromLeft = random.chance(0.5)
        let aspect = canvas.aspect
        canvas.shade { x, y, _ in
            let side = fromLeft ? x / aspect : 1 - x / aspect
            return wall * (1.1 - side * 0.65) * (0.92 + 0.16 * grain.fractal(x * 4, y * 4, octaves: 4))
        }
        canvas.below({ _ in table }) { x, y, depth in
            let plank = grain.fractal(x * 3, y * 55, octaves: 4)
            return wood * (0.6 + 0.55 * plank) * (0.7 + depth)
        }
        let count = random.whole(4...8)
        for index in 0..<count {
            let near = Float(index) / Float(count)
            let radius = random.number(0.09...0.15) * (0.75 + near * 0.5)
            let x = canvas.aspect * random.number(0.14...0.86)
            let y = table - radius * 0.35 + near * (0.9 - table)
            paintFruit(on: &canvas, x, y, radius, fromLeft ? -1 : 1, &random)
        }
    }

    private func paintFruit(
        on canvas: inout Canvas,
        _ cx: Float,
        _ cy: Float,
        _ radius: Float,
        _ side: Float,
        _ random: inout SeededRandom
    ) {
        let skin = random.one(of: [
            Paint(0xd8402c), Paint(0xf08a1c), Paint(0xf2c530), Paint(0x7fae33), Paint(0x7a2f5f),
            Paint(0xe86a5a),
        ])
        let blush = Paint(hue: random.number(0...0.2), saturation: 0.8, value: 0.9)
        let peel = Noise(&random)
        let edge = canvas.pixel * 1.5
        let floor = cy + radius * 0.86
        let throwX = cx - side * radius * 0.7
        canvas.shade(
            x: (cx - radius * 2.6)...(cx + radius * 2.6),
            y: (floor - radius * 0.5)...(floor + radius * 0.5)
        ) { x, y, old in
            old
                * (1 - 0.65
                    * ramp(hypotf((x - throwX) / 1.55, (y - floor) * 3.2), radius * 1.15, radius * 0.3))
        }
        canvas.shade(x: (cx - radius)...(cx + radius), y: (cy - radius)...(cy + radius)) { x, y, old in
            let u = (x - cx) / radius
            let v = (y - cy) / radius
            let inside = 1 - u * u - v * v
            guard inside > 0 else { return old }
            let z = sqrtf(inside)
            let facing = u * side * 0.55 - v * 0.6 + z * 0.58
            let spots = peel.fractal(u * 3 + 9, v * 3, octaves: 4)
            let body = skin.mixed(blush, ramp(spots, 0.45, 0.75) * 0.6)
            let shine = powf(max(0, facing), 26)
            let bounce = 0.12 * ramp(v, 0.3, 1)
            let lit = body * (0.16 + 0.95 * max(0, facing) + bounce) + Paint.white * (shine * 0.55)
            return old.mixed(lit, ramp((1 - hypotf(u, v)) * radius, 0, edge))
        }
        canvas.box(
            (cx - radius * 0.03)...(cx + radius * 0.03),
            (cy - radius * 1.1)...(cy - radius * 0.86),
            Paint(0x3d2a18)
        )
    }
}
