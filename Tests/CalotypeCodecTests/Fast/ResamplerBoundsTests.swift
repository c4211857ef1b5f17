import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

struct ResamplerBoundsTests {
    @Test func `memory does not grow with the height of the picture`() {
        func bytes(_ width: Int, _ height: Int, _ model: SampleLayout.Model) -> Int {
            let scaled = PixelSize(width: 256, height: 256)
            return Resampler.bytes(
                .whole(model, PixelSize(width: width, height: height)),
                scaled: scaled,
                kept: PixelArea(left: 0, top: 0, size: scaled),
                isLinearLight: false
            )
        }
        #expect(bytes(30_000, 30_000, .rgb) < 12_000_000)
        #expect(bytes(30_000, 30_000, .rgba) < 40_000_000)
        #expect(bytes(590, 443, .rgb) < 400_000)
        // Only the weights of the rows grow.
        #expect(bytes(3_000, 60_000, .rgb) - bytes(3_000, 30_000, .rgb) < 10_000_000)
    }

    @Test(arguments: SampleLayout.models)
    func `the memory is known beforehand`(_ model: SampleLayout.Model) throws {
        let layout = SampleLayout.whole(model, PixelSize(width: 300, height: 200))
        let scaled = PixelSize(width: 64, height: 43)
        let kept = PixelArea(left: 3, top: 2, size: PixelSize(width: 40, height: 40))
        let resampler = try Resampler(layout, scaled: scaled, kept: kept, isLinearLight: false)
        let estimate = Resampler.bytes(layout, scaled: scaled, kept: kept, isLinearLight: false)
        #expect(resampler.bytes == estimate)
        #expect(estimate > 10_000)
    }

    @Test func `memory that is not there is an error`() {
        let error = #expect(throws: CalotypeError.self) {
            _ = try ScalerMemory(bytes: 1 << 60)
        }
        #expect(error?.code == .encodeFailed)
    }

    @Test(arguments: [
        ((0, 1), (1, 1), (0, 0, 1, 1)), ((1, 1), (0, 1), (0, 0, 0, 1)), ((1, 1), (1, 1), (0, 0, 2, 1)),
        ((1, 1), (1, 1), (-1, 0, 1, 1)), ((1, 1), (Int.max, 1), (0, 0, 1, 1)),
        ((1, 1), (9, 9), (Int.max, 0, 1, 1)), ((Int.max, Int.max), (9, 9), (0, 0, 9, 9)),
        ((1, 1), (9, 9), (0, 0, Int.min, 9)),
    ])
    func `sizes that no picture has are an error`(
        _ size: (Int, Int),
        _ scaled: (Int, Int),
        _ kept: (Int, Int, Int, Int)
    ) {
        let layout = SampleLayout.interleaved(.rgb, PixelSize(width: size.0, height: size.1))
        let target = PixelSize(width: scaled.0, height: scaled.1)
        let area = PixelArea(left: kept.0, top: kept.1, size: PixelSize(width: kept.2, height: kept.3))
        let error = #expect(throws: CalotypeError.self) {
            _ = try Resampler(layout, scaled: target, kept: area, isLinearLight: false)
        }
        #expect(error?.code == .encodeFailed)
        #expect(Resampler.bytes(layout, scaled: target, kept: area, isLinearLight: false) == 0)
    }

    @Test(arguments: [
        ((65_535, 2), (1, 1)), ((2, 65_535), (1, 1)), ((65_535, 1), (65_535, 2)), ((1, 1), (65_535, 1)),
        ((1, 1), (1, 65_535)), ((65_535, 3), (65_534, 2)), ((3, 65_535), (2, 65_534)),
        ((1, 65_535), (1, 256)),
    ])
    func `the largest sides are scaled`(_ size: (Int, Int), _ scaled: (Int, Int)) throws {
        for model in [SampleLayout.Model.grey, .greyAlpha] {
            let layout = SampleLayout.interleaved(model, PixelSize(width: size.0, height: size.1))
            let picture = ResamplerPicture(layout) { _, place in model == .grey || place % 2 == 1 ? 255 : 99 }
            let output = try picture.scaled(to: PixelSize(width: scaled.0, height: scaled.1))
            #expect(output.count == scaled.0 * scaled.1 * model.channels)
            #expect(output.allSatisfy { $0 == 255 || (model == .greyAlpha && $0 == 99) })
        }
    }

    @Test func `an axis needs no more than it says`() {
        var random = SplitMix64(seed: 10)
        for _ in 0..<3000 {
            let most = [4, 40, 4000].randomElement(using: &random) ?? 4
            let (samples, scaled) = (
                Int.random(in: 1...most, using: &random), Int.random(in: 1...300, using: &random)
            )
            let first = Int.random(in: 0..<scaled, using: &random)
            let axis = ScaledAxis(
                samples: samples,
                extent: Double(samples)
                    - (Bool.random(using: &random) ? 0 : .random(in: 0..<1, using: &random)),
                scaled: scaled,
                kept: first..<Int.random(in: first + 1...scaled, using: &random)
            )
            let windows = axis.kept.map(axis.window)
            let pairs = windows.map { $0.lowerBound / 2..<($0.upperBound + 1) / 2 }
            #expect(windows.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= samples })
            #expect(
                pairs.allSatisfy { $0.count <= axis.mostPairs && axis.neededPairs.contains($0.lowerBound) }
            )
            #expect(
                zip(pairs, pairs.dropFirst()).allSatisfy {
                    $0.lowerBound <= $1.lowerBound && $0.upperBound <= $1.upperBound
                        && $1.lowerBound <= $0.upperBound
                }
            )
            guard axis.ratio >= 1 else { continue }
            for (index, window) in pairs.enumerated() {
                let open = pairs[index...].prefix { $0.lowerBound < window.upperBound }
                #expect(open.count <= axis.mostOpen)
            }
        }
    }

    @Test func `weights sum up to one and fit in 16 bits with what they overshoot`() throws {
        var random = SplitMix64(seed: 12)
        for _ in 0..<300 {
            let (samples, scaled) = (
                Int.random(in: 1...500, using: &random), Int.random(in: 1...300, using: &random)
            )
            let axis = ScaledAxis(samples: samples, extent: Double(samples), scaled: scaled, kept: 0..<scaled)
            let weights = try AxisWeights(axis, places: 22)
            var next = 0
            for window in weights.windows {
                let places = next..<next + 2 * window.count
                next = places.upperBound
                let values = places.map {
                    unsafe Int(weights.values.load(fromByteOffset: $0 * 2, as: Int16.self))
                }
                #expect(values.reduce(0, +) == 1 << Int(weights.shift))
                #expect(Double(values.reduce(0) { $0 + abs($1) }) < 1.7 * Double(1 << Int(weights.shift)))
            }
        }
    }

    @Test func `each output row gets each of its source rows once`() {
        var random = SplitMix64(seed: 13)
        for _ in 0..<500 {
            let (samples, scaled) = (
                Int.random(in: 1...400, using: &random), Int.random(in: 1...60, using: &random)
            )
            let axis = ScaledAxis(samples: samples, extent: Double(samples), scaled: scaled, kept: 0..<scaled)
            let pairs = axis.kept.map(axis.window).map { $0.lowerBound / 2..<($0.upperBound + 1) / 2 }
            let starts = pairs.indices.map { index in pairs[..<index].reduce(0) { $0 + $1.count } }
            let capacity = min(axis.mostPairs, max(5, Int.random(in: 1...20, using: &random)))
            var schedule = RowSchedule(pairs, capacity: capacity)
            var (given, finished) = ([Int](repeating: -1, count: scaled), 0)
            func check(_ step: RowSchedule.Step) {
                let next = given[step.output] < 0 ? pairs[step.output].lowerBound : given[step.output]
                #expect(step.pairs.lowerBound == next && step.isBegun == (given[step.output] >= 0))
                #expect(step.firstWeight == starts[step.output] + next - pairs[step.output].lowerBound)
                #expect(schedule.held.count <= capacity)
                given[step.output] = step.pairs.upperBound
            }
            for _ in pairs[0].lowerBound..<(pairs.last?.upperBound ?? 0) {
                schedule.add()
                while let step = schedule.finished() {
                    check(step)
                    #expect(step.output == finished && given[finished] == pairs[finished].upperBound)
                    finished += 1
                }
                for step in schedule.folded() { check(step) }
            }
            #expect(schedule.isDone && finished == scaled)
        }
    }
}
