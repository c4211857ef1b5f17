import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCodec

struct ResamplerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var model: SampleLayout.Model
        var size: PixelSize
        var scaled: PixelSize
        var kept: PixelArea
        /// How much of the last column and row of a single plane is part of the picture.
        var parts = (1.0, 1.0)
        var isLinearLight = false

        var testDescription: String { "\(model) \(size) to \(scaled), \(kept) \(parts) \(isLinearLight)" }

        init(_ model: SampleLayout.Model, _ size: (Int, Int), _ scaled: (Int, Int)) {
            self.model = model
            self.size = PixelSize(width: size.0, height: size.1)
            self.scaled = PixelSize(width: scaled.0, height: scaled.1)
            kept = PixelArea(left: 0, top: 0, size: self.scaled)
        }

        static func random(_ model: SampleLayout.Model, _ random: inout SplitMix64) -> Case {
            let most = [3, 20, 90].randomElement(using: &random) ?? 3
            func side() -> Int { .random(in: 1...most, using: &random) }
            var table = Case(model, (side(), side()), (side(), side()))
            table.isLinearLight = .random(using: &random)
            if Bool.random(using: &random) { table.parts = (.random(in: 0.01...1, using: &random), 0.5) }
            if Bool.random(using: &random) {
                let (left, top) = (
                    Int.random(in: 0..<table.scaled.width, using: &random),
                    Int.random(in: 0..<table.scaled.height, using: &random)
                )
                let size = PixelSize(
                    width: .random(in: 1...table.scaled.width - left, using: &random),
                    height: .random(in: 1...table.scaled.height - top, using: &random)
                )
                table.kept = PixelArea(left: left, top: top, size: size)
            }
            return table
        }

        var layout: SampleLayout {
            var layout = SampleLayout.whole(model, size)
            if model != .videoYCbCr {
                layout.planes[0].width -= 1 - parts.0
                layout.planes[0].height -= 1 - parts.1
            }
            return layout
        }
    }

    @Test(arguments: SampleLayout.models, [1, 2, 3])
    func `rows are as a calculation in double precision has them`(
        _ model: SampleLayout.Model,
        seed: UInt64
    )
        throws
    {
        var random = SplitMix64(seed: seed)
        for _ in 0..<60 { try check(.random(model, &random), &random) }
    }

    @Test(arguments: [
        Case(.rgb, (1, 1), (1, 1)), Case(.rgb, (1, 1), (300, 7)), Case(.rgb, (1, 400), (1, 3)),
        Case(.rgb, (400, 1), (3, 1)), Case(.rgb, (2, 2), (1, 1)), Case(.rgb, (33, 200), (33, 1)),
        Case(.grey, (65, 700), (5, 3)), Case(.rgb, (700, 65), (3, 5)), Case(.rgba, (65, 700), (5, 3)),
        Case(.videoYCbCr, (1, 1), (5, 5)), Case(.videoYCbCr, (65, 500), (5, 3)),
        Case(.videoYCbCr, (40, 31), (40, 31)), Case(.grey, (10, 10), (160, 160)),
        Case(.rgb, (64, 1000), (64, 900)), Case(.grey, (5, 100), (5, 33)), Case(.grey, (5, 99), (5, 33)),
    ])
    func `edge cases are as a calculation in double precision has them`(_ table: Case) throws {
        var random = SplitMix64(seed: 7)
        try check(table, &random)
    }

    @Test(arguments: SampleLayout.models)
    func `both kinds of loops give the same rows, but for one level`(_ model: SampleLayout.Model) throws {
        var random = SplitMix64(seed: 11)
        for _ in 0..<60 {
            let table = Case.random(model, &random)
            let picture = ResamplerPicture(table.layout) { _, _ in .random(in: 0...255, using: &random) }
            let outputs = try ScalerKernels.allCases.map {
                try picture.scaled(
                    to: table.scaled,
                    kept: table.kept,
                    isLinearLight: table.isLinearLight,
                    kernels: $0
                )
            }
            #expect(outputs[0].count == outputs[1].count)
            let channels = model.channels
            for pixel in stride(from: 0, to: outputs[0].count, by: channels) {
                let (one, other) = (
                    outputs[0][pixel..<pixel + channels], outputs[1][pixel..<pixel + channels]
                )
                #expect(one.isNear(other, hasAlpha: model.hasAlpha), "\(table)")
            }
            if !model.hasAlpha && !table.isLinearLight && model != .videoYCbCr {
                #expect(outputs[0] == outputs[1], "fixed point is exact: \(table)")
            }
        }
    }

    private func check(_ table: Case, _ random: inout SplitMix64) throws {
        let isHarsh = Bool.random(using: &random)
        let picture = ResamplerPicture(table.layout) { _, _ in
            isHarsh ? [0, 255].randomElement(using: &random) ?? 0 : .random(in: 0...255, using: &random)
        }
        let output = try picture.scaled(
            to: table.scaled,
            kept: table.kept,
            isLinearLight: table.isLinearLight
        )
        let reference = ResamplerReference(isLinearLight: table.isLinearLight)
            .levels(picture, scaled: table.scaled, kept: table.kept)
        #expect(output.count == reference.count, "\(table)")
        let channels = output.count / max(1, table.kept.size.pixelCount)
        var worst = 0.0
        for index in output.indices {
            // Where alpha is hardly there, so is the colour's precision.
            let alpha = table.model.hasAlpha ? reference[index - index % channels + channels - 1] : 255
            guard index % channels == channels - 1 || alpha > 0.6 || alpha < 0.4 else { continue }
            worst = max(worst, abs(Double(output[index]) - reference[index]))
        }
        #expect(worst <= (table.isLinearLight ? 0.58 : 0.55), "\(worst) \(table)")
    }
}
