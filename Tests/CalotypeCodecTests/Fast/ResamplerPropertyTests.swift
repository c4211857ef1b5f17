import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

struct ResamplerPropertyTests {
    private static let sizes = [
        (PixelSize(width: 23, height: 37), PixelSize(width: 9, height: 5)),
        (PixelSize(width: 5, height: 3), PixelSize(width: 13, height: 11)),
        (PixelSize(width: 3, height: 400), PixelSize(width: 2, height: 3)),
    ]

    @Test(arguments: SampleLayout.models, [false, true])
    func `a picture of one colour keeps it exactly`(_ model: SampleLayout.Model, isLinearLight: Bool) throws {
        for level in 0...255 {
            let (size, scaled) = Self.sizes[level % Self.sizes.count]
            let alpha = UInt8(max(1, 255 - level / 2))
            let channels = model.channels
            let picture = ResamplerPicture(.whole(model, size)) { plane, place in
                if model == .videoYCbCr { return [UInt8(level), 90, 200][plane] }
                return model.hasAlpha && place % channels == channels - 1 ? alpha : UInt8(level)
            }
            let output = try picture.scaled(to: scaled, isLinearLight: isLinearLight)
            var pixel = [UInt8](repeating: UInt8(level), count: channels)
            if model.hasAlpha { pixel[channels - 1] = alpha }
            if model == .videoYCbCr {
                let reference = ResamplerReference(isLinearLight: false)
                pixel = reference.colour(y: Double(level), cb: 90, cr: 200).map { UInt8(($0).rounded()) }
            }
            let expected = [[UInt8]](repeating: pixel, count: scaled.pixelCount).flatMap { $0 }
            #expect(output == expected, "\(model) \(level) \(scaled)")
        }
    }

    @Test func `one colour is kept whatever the ratio`() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<300 {
            let size = PixelSize(
                width: .random(in: 1...300, using: &random),
                height: .random(in: 1...300, using: &random)
            )
            let scaled = PixelSize(
                width: .random(in: 1...60, using: &random),
                height: .random(in: 1...60, using: &random)
            )
            let level = UInt8.random(in: 0...255, using: &random)
            let output = try ResamplerPicture(.whole(.grey, size)) { _, _ in level }.scaled(to: scaled)
            #expect(output.allSatisfy { $0 == level }, "\(size) \(scaled) \(level)")
        }
    }

    @Test(arguments: [SampleLayout.Model.grey, .rgb, .rgba])
    func `a picture's mean is kept`(_ model: SampleLayout.Model) throws {
        var random = SplitMix64(seed: 4)
        for _ in 0..<20 {
            let size = PixelSize(
                width: .random(in: 60...150, using: &random),
                height: .random(in: 60...150, using: &random)
            )
            let scaled = PixelSize(
                width: .random(in: 8...60, using: &random),
                height: .random(in: 8...60, using: &random)
            )
            let picture = ResamplerPicture(.whole(model, size)) { _, place in
                model == .rgba && place % 4 == 3 ? 255 : .random(in: 60...190, using: &random)
            }
            let output = try picture.scaled(to: scaled)
            let (before, after) = (mean(picture.planes[0]), mean(output))
            #expect(abs(before - after) < 1, "\(size) \(scaled): \(before) became \(after)")
        }
    }

    @Test(arguments: SampleLayout.models)
    func `a picture that is the same in a mirror stays so`(_ model: SampleLayout.Model) throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<30 {
            let size = PixelSize(
                width: .random(in: 1...60, using: &random),
                height: .random(in: 1...60, using: &random)
            )
            let scaled = PixelSize(
                width: .random(in: 1...80, using: &random),
                height: .random(in: 1...80, using: &random)
            )
            let layout = SampleLayout.interleaved(model == .videoYCbCr ? .grey : model, size)
            let channels = layout.planes[0].channels
            let quarter = (0..<60 * 60 * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
            let picture = ResamplerPicture(layout) { _, place in
                let (pixel, channel) = (place / channels, place % channels)
                let x = min(pixel % size.width, size.width - 1 - pixel % size.width)
                let y = min(pixel / size.width, size.height - 1 - pixel / size.width)
                return quarter[(y * 60 + x) * 4 + channel]
            }
            let output = try picture.scaled(to: scaled)
            let pixels = stride(from: 0, to: output.count, by: channels).map { output[$0..<$0 + channels] }
            for y in 0..<scaled.height {
                for x in 0..<scaled.width {
                    let (left, right) = (y * scaled.width + x, (y + 1) * scaled.width - 1 - x)
                    let below = (scaled.height - 1 - y) * scaled.width + x
                    #expect(areEqual(pixels[left], pixels[right], exactly: !model.hasAlpha))
                    #expect(areEqual(pixels[left], pixels[below], exactly: !model.hasAlpha))
                }
            }
        }
    }

    @Test func `turning a picture and scaling it are free in their order`() throws {
        var random = SplitMix64(seed: 6)
        for _ in 0..<30 {
            let size = PixelSize(
                width: .random(in: 1...60, using: &random),
                height: .random(in: 1...60, using: &random)
            )
            let scaled = PixelSize(
                width: .random(in: 1...40, using: &random),
                height: .random(in: 1...40, using: &random)
            )
            let picture = ResamplerPicture(.whole(.grey, size)) { _, _ in .random(in: 0...255, using: &random)
            }
            let turned = ResamplerPicture(.grey, size.transposed) { x, y in
                [picture.planes[0][x * size.width + y]]
            }
            let (one, other) = (try picture.scaled(to: scaled), try turned.scaled(to: scaled.transposed))
            for y in 0..<scaled.height {
                for x in 0..<scaled.width {
                    let levels = (one[y * scaled.width + x], other[x * scaled.height + y])
                    #expect(abs(Int(levels.0) - Int(levels.1)) <= 1)
                }
            }
        }
    }

    private func areEqual(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>, exactly: Bool) -> Bool {
        // Sums of floats depend on their order.
        exactly ? a.elementsEqual(b) : a.isNear(b, hasAlpha: true)
    }

    private func mean(_ levels: [UInt8]) -> Double {
        Double(levels.reduce(0) { $0 + Int($1) }) / Double(levels.count)
    }
}
