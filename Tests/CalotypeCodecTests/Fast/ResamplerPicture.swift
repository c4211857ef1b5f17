import CalotypeCore
import CalotypeTestKit

@testable import CalotypeCodec

/// A picture as a decoder gives it: rows of samples, in one plane or three.
struct ResamplerPicture {
    let layout: SampleLayout
    var planes: [[UInt8]]

    /// A picture of one plane with `level` giving the samples of a pixel.
    init(_ model: SampleLayout.Model, _ size: PixelSize, _ samples: (_ x: Int, _ y: Int) -> [UInt8]) {
        layout = .interleaved(model, size)
        var plane: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width { plane += samples(x, y) }
        }
        planes = [plane]
    }

    /// A picture of any model of which `sample` gives the samples of each plane.
    init(_ layout: SampleLayout, _ sample: (_ plane: Int, _ place: Int) -> UInt8) {
        self.layout = layout
        planes = layout.planes.enumerated().map { index, plane in
            (0..<plane.rowBytes * plane.size.height).map { sample(index, $0) }
        }
    }

    /// The rows of the picture scaled, with the planes' rows given in a decoder's order.
    func scaled(
        to scaled: PixelSize,
        kept: PixelArea? = nil,
        isLinearLight: Bool = false,
        kernels: ScalerKernels = .fastest
    ) throws -> [UInt8] {
        let kept = kept ?? PixelArea(left: 0, top: 0, size: scaled)
        let resampler = try Resampler(
            layout,
            scaled: scaled,
            kept: kept,
            isLinearLight: isLinearLight,
            kernels: kernels
        )
        var output: [UInt8] = []
        feed(resampler) { row in
            for index in row.indices { output.append(row[index]) }
        }
        return output
    }

    /// Gives all rows, those of smaller planes when their part of the picture is reached.
    func feed(_ resampler: Resampler, _ body: (Span<UInt8>) -> Void) {
        let most = layout.planes.map(\.size.height).max() ?? 0
        var given = layout.planes.map { _ in 0 }
        for row in 1...most {
            for (index, plane) in layout.planes.enumerated() {
                while given[index] * most < row * plane.size.height {
                    let start = given[index] * plane.rowBytes
                    let samples = planes[index][start..<start + plane.rowBytes]
                    resampler.take(Array(samples).span, plane: index, body)
                    given[index] += 1
                }
            }
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether a pixel differs from another by one level at most; where alpha is hardly there, so is the colour's precision.
    func isNear(_ other: ArraySlice<UInt8>, hasAlpha: Bool) -> Bool {
        let differences = zip(self, other).map { abs(Int($0) - Int($1)) }
        if hasAlpha, let alpha = last, alpha <= 4 { return differences.last ?? 0 <= 1 }
        return differences.allSatisfy { $0 <= 1 }
    }
}

extension SampleLayout {
    /// A layout of a picture of `size`: planes of colour have half of it, rounded up.
    static func whole(_ model: Model, _ size: PixelSize) -> SampleLayout {
        guard model == .videoYCbCr else { return interleaved(model, size) }
        let half = SamplePlane(
            channels: 1,
            size: PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2),
            width: Double(size.width) / 2,
            height: Double(size.height) / 2
        )
        return SampleLayout(model: model, planes: [SamplePlane(channels: 1, size: size), half, half])
    }

    static let models: [Model] = [.grey, .greyAlpha, .rgb, .rgba, .videoYCbCr]
}
