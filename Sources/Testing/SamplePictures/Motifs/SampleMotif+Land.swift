import CalotypePlatform

// Scenes with a distant horizon and few buildings.
extension SampleMotif {
    func paintMountains(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let sky = Sky(
            random.one(of: Daylight.all),
            horizon: random.number(0.5...0.7),
            aspect: canvas.aspect,
            &random
        )
        sky.paint(on: &canvas, &random)
        let rock = Paint(hue: random.number(0.25...0.75), saturation: 0.45, value: 0.3) * sky.light.ambient
        let ranges = random.whole(3...5)
        let snowLine = random.number(0.55...1)
        for range in 0..<ranges {
            let near = Float(range) / Float(ranges - 1)
            let noise = Noise(&random)
            let base = sky.horizon - 0.12 + near * (1.02 - sky.horizon)
            let height = random.number(0.3...0.46) * (1 - near * 0.5)
            let detail = Noise(&random)
            canvas.below(
                { x in
                    let crest = noise.ridged(x * (0.9 + near * 0.6) + 5, near * 9, octaves: 5)
                    return base + 0.1 - height * crest
                },
                { x, y, depth in
                    let haze = (1 - near) * 0.62 + ramp(depth, 0.02, 0.3) * 0.4 * (1 - near * 0.8)
                    let texture = detail.fractal(x * 14, y * 30, octaves: 4) - 0.5
                    let slope = detail.ridged(x * 7 + depth * 6, depth * 9, octaves: 4)
                    let altitude = (base + 0.1 - y) / height
                    let snow =
                        ramp(altitude + texture * 0.5, snowLine, snowLine + 0.12) * (0.45 + 0.55 * slope)
                    let lit = rock * (0.55 + 0.6 * slope + texture * 0.5)
                    let ground = lit.mixed(sky.light.ambient * 1.05, snow * (1 - near * 0.6))
                    return ground.mixed(sky.light.horizon, min(1, haze))
                }
            )
        }
    }

    func paintDunes(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let sky = Sky(
            random.one(of: [Daylight.morning, .golden, .sunset, .dusk, .noon]),
            horizon: random.number(0.32...0.5),
            aspect: canvas.aspect,
            &random
        )
        sky.paint(on: &canvas, &random)
        let sand = random.one(of: [Paint(0xe3b778), Paint(0xd9925a), Paint(0xcf7a4e), Paint(0xe8cfa0)])
        let shadow = (sand * 0.42).mixed(sky.light.zenith, 0.3)
        let ripples = Noise(&random)
        let dunes = random.whole(4...6)
        for dune in 0..<dunes {
            let near = Float(dune) / Float(dunes)
            let phase = random.number(0...6)
            let slope = random.number(1.2...2.4)
            let noise = Noise(&random)
            let base = sky.horizon + near * (1 - sky.horizon) * 0.95
            func crest(_ x: Float) -> Float {
                base - (0.06 + near * 0.09) * sinf(x * slope + phase) - 0.05 * noise.value(x * 2, near * 7)
            }
            canvas.below(crest) { x, y, depth in
                let lee = ramp(cosf(x * slope + phase) + depth * 5 - 0.35, -0.12, 0.35)
                let wave = ripples.value(x * 6 + y * 9, y * 90 / (0.4 + near)) - 0.5
                let lit = shadow.mixed(sand, lee) * (1 + wave * (0.08 + near * 0.16))
                return (lit * sky.light.ambient).mixed(sky.light.horizon, (1 - near) * 0.4)
            }
        }
    }

    func paintMeadow(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let sky = Sky(
            random.one(of: Daylight.bright),
            horizon: random.number(0.35...0.5),
            aspect: canvas.aspect,
            &random
        )
        sky.paint(on: &canvas, &random)
        let far = Noise(&random)
        let green = Paint(hue: random.number(0.2...0.33), saturation: 0.6, value: 0.55)
        canvas.below({ sky.horizon - 0.07 * far.fractal($0 * 2, 1, octaves: 4) }) { _, _, _ in
            (green * 0.5 * sky.light.ambient).mixed(sky.light.horizon, 0.45)
        }
        let vanishing = canvas.aspect * random.number(0.2...0.8)
        let hue = random.number(0.72...1.15).truncatingRemainder(dividingBy: 1)
        let bloom = Paint(hue: hue, saturation: random.number(0.35...0.85), value: 0.9)
        let rows = random.number(9...16)
        let grass = Noise(&random)
        canvas.below({ _ in sky.horizon }) { x, y, depth in
            let distance = depth + 0.015
            let row = (x - vanishing) / distance
            let stripe = 0.5 + 0.5 * cosf(row * rows)
            let blades = grass.fractal(x * 60, y * 40 / (0.3 + depth), octaves: 3)
            let flowers = ramp(stripe + (blades - 0.5) * 1.1, 0.42, 0.72)
            let ground = (green * (0.5 + 0.7 * blades)).mixed(bloom * (0.6 + 0.6 * blades), flowers)
            return (ground * sky.light.ambient).mixed(sky.light.horizon, 0.5 * ramp(0.12 - depth, 0, 0.12))
        }
    }

    func paintIslands(on canvas: inout Canvas, _ random: inout SeededRandom) {
        let land = Noise(&random)
        let detail = Noise(&random)
        let scale = random.number(1.5...3)
        let level = random.number(0.47...0.55)
        let deep = Paint(hue: random.number(0.5...0.62), saturation: 0.8, value: random.number(0.3...0.55))
        let shallow = Paint(hue: random.number(0.44...0.5), saturation: 0.55, value: 0.82)
        let wood = Paint(hue: random.number(0.2...0.38), saturation: 0.55, value: 0.34)
        canvas.shade { x, y, _ in
            let warp = detail.value(x * 3, y * 3) * 0.35
            let height = land.fractal(x * scale + warp, y * scale - warp, octaves: 7) - level
            let fine = detail.fractal(x * 40, y * 40, octaves: 3) - 0.5
            guard height > 0 else {
                let sea = deep.mixed(shallow, ramp(height, -0.13, -0.005))
                return (sea * (1 + fine * 0.12)).mixed(
                    .white,
                    ramp(height + fine * 0.012, -0.008, -0.001) * 0.7
                )
            }
            let slope =
                height
                - (land.fractal((x + 0.012) * scale + warp, (y + 0.012) * scale - warp, octaves: 7) - level)
            let trees = wood * (0.85 + fine * 0.9)
            let ground = Paint(0xeeddb0).mixed(trees, ramp(height + fine * 0.02, 0.018, 0.04))
            let peaks = ground.mixed(Paint(0x9a8f80) * (1 + fine), ramp(height + fine * 0.05, 0.14, 0.2))
            return peaks * (1 + slope * 9)
        }
    }
}
