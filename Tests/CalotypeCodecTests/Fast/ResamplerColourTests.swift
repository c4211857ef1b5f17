import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

struct ResamplerColourTests {
    @Test(arguments: ScalerKernels.allCases)
    func `an opaque edge beside transparency has no fringe of the hidden colour`(
        _ kernels: ScalerKernels
    ) throws {
        let picture = ResamplerPicture(.rgba, PixelSize(width: 40, height: 40)) { x, _ in
            x < 21 ? [255, 0, 0, 255] : [0, 255, 0, 0]
        }
        let output = try picture.scaled(to: PixelSize(width: 9, height: 9), kernels: kernels)
        var edges = 0
        for pixel in stride(from: 0, to: output.count, by: 4) {
            let (red, green, alpha) = (output[pixel], output[pixel + 1], output[pixel + 3])
            #expect(green == 0)
            #expect(red == (alpha == 0 ? 0 : 255))
            if alpha > 0 && alpha < 255 { edges += 1 }
        }
        #expect(edges > 0)
    }

    @Test func `pixels without any alpha come out black`() throws {
        let picture = ResamplerPicture(.greyAlpha, PixelSize(width: 30, height: 30)) { _, _ in [200, 0] }
        let output = try picture.scaled(to: PixelSize(width: 7, height: 50))
        #expect(output.allSatisfy { $0 == 0 })
    }

    @Test(arguments: [SampleLayout.Model.grey, .greyAlpha, .rgb, .rgba], ScalerKernels.allCases)
    func `black and white mix to half the light in linear light`(
        _ model: SampleLayout.Model,
        _ kernels: ScalerKernels
    ) throws {
        let picture = ResamplerPicture(model, PixelSize(width: 64, height: 64)) { x, y in
            var pixel = [UInt8](repeating: (x + y) % 2 == 0 ? 0 : 255, count: model.channels)
            if model.hasAlpha { pixel[model.channels - 1] = 255 }
            return pixel
        }
        for (isLinearLight, level) in [(true, UInt8(188)), (false, 128)] {
            let size = PixelSize(width: 8, height: 8)
            let output = try picture.scaled(to: size, isLinearLight: isLinearLight, kernels: kernels)
            for (place, sample) in output.enumerated() {
                let isAlpha = model.hasAlpha && place % model.channels == model.channels - 1
                // Where no filter weighs black and white quite the same, half lies between two levels.
                #expect(isAlpha ? sample == 255 : (level - 1...level).contains(sample))
            }
            let middle = (4 * 8 + 4) * model.channels
            #expect((level - 1...level).contains(output[middle]))
        }
    }

    @Test func `linear light keeps every level`() throws {
        let picture = ResamplerPicture(.grey, PixelSize(width: 256, height: 1)) { x, _ in [UInt8(x)] }
        // Each output row is the source row: only the height changes.
        let output = try picture.scaled(to: PixelSize(width: 256, height: 3), isLinearLight: true)
        #expect(output == [[UInt8]](repeating: Array(0...255), count: 3).flatMap { $0 })
    }

    @Test func `colours of video range are those of libwebp, but for one level`() throws {
        let layout = SampleLayout.whole(.videoYCbCr, PixelSize(width: 2, height: 2))
        let levels = Array(stride(from: 0, through: 255, by: 15))
        for y in levels {
            for cb in levels {
                for cr in levels {
                    let samples = [UInt8(y), UInt8(cb), UInt8(cr)]
                    let picture = ResamplerPicture(layout) { plane, _ in samples[plane] }
                    let output = try picture.scaled(to: PixelSize(width: 1, height: 1))
                    let expected = integerColour(y, cb, cr)
                    let isNear = zip(output, expected).allSatisfy { abs(Int($0) - $1) <= 1 }
                    #expect(isNear, "\(samples) became \(output) and not \(expected)")
                }
            }
        }
    }

    @Test func `planes may come in any order`() throws {
        var random = SplitMix64(seed: 8)
        let layout = SampleLayout.whole(.videoYCbCr, PixelSize(width: 61, height: 83))
        let picture = ResamplerPicture(layout) { _, _ in .random(in: 0...255, using: &random) }
        let scaled = PixelSize(width: 20, height: 40)
        let expected = try picture.scaled(to: scaled)
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let resampler = try Resampler(
                layout,
                scaled: scaled,
                kept: PixelArea(left: 0, top: 0, size: scaled),
                isLinearLight: false
            )
            #expect(resampler.model == .rgb)
            var output: [UInt8] = []
            for plane in order {
                let bytes = layout.planes[plane].rowBytes
                for start in stride(from: 0, to: picture.planes[plane].count, by: bytes) {
                    let row = Array(picture.planes[plane][start..<start + bytes])
                    resampler.take(row.span, plane: plane) { row in
                        for index in row.indices { output.append(row[index]) }
                    }
                }
            }
            #expect(output == expected)
        }
    }

    @Test(arguments: [SampleLayout.Model.grey, .greyAlpha, .rgb, .rgba], [false, true])
    func `rows pass through unchanged where the size does not change`(
        _ model: SampleLayout.Model,
        isLinearLight: Bool
    ) throws {
        var random = SplitMix64(seed: 9)
        let size = PixelSize(width: 31, height: 17)
        let picture = ResamplerPicture(.whole(model, size)) { _, _ in .random(in: 0...255, using: &random) }
        #expect(try picture.scaled(to: size, isLinearLight: isLinearLight) == picture.planes[0])

        let kept = PixelArea(left: 4, top: 3, size: PixelSize(width: 20, height: 10))
        let output = try picture.scaled(to: size, kept: kept, isLinearLight: isLinearLight)
        let channels = model.channels
        var expected: [UInt8] = []
        for y in 3..<13 {
            let start = (y * 31 + 4) * channels
            expected += picture.planes[0][start..<start + 20 * channels]
        }
        #expect(output == expected)
    }

    /// The conversion in whole numbers that libwebp's documentation of its colours gives.
    private func integerColour(_ y: Int, _ cb: Int, _ cr: Int) -> [Int] {
        func part(_ level: Int, _ factor: Int) -> Int { (level * factor) >> 8 }
        let luma = part(y, 19_077)
        let red = luma + part(cr, 26_149) - 14_234
        let green = luma - part(cb, 6_419) - part(cr, 13_320) + 8_708
        let blue = luma + part(cb, 33_050) - 17_685
        return [red, green, blue].map { min(max($0 >> 6, 0), 255) }
    }
}
