import CalotypeCore
import CalotypePlatform

@testable import CalotypeCodec

/// What the resampler should give, in double precision and without any haste.
struct ResamplerReference {
    let isLinearLight: Bool

    /// The levels of the output before they are rounded, from 0 to 255.
    func levels(_ picture: ResamplerPicture, scaled: PixelSize, kept: PixelArea) -> [Double] {
        let planes = picture.layout.planes.indices.map { index in
            plane(
                samples(picture, plane: index),
                picture.layout.planes[index],
                scaled: scaled,
                kept: kept
            )
        }
        let model = picture.layout.model
        var levels: [Double] = []
        for pixel in 0..<kept.size.pixelCount {
            if model == .videoYCbCr {
                levels += colour(y: planes[0][pixel], cb: planes[1][pixel], cr: planes[2][pixel])
            } else {
                let channels = model.channels
                levels += straight(Array(planes[0][pixel * channels..<(pixel + 1) * channels]), model)
            }
        }
        return levels
    }

    static func lanczos(_ x: Double) -> Double {
        guard x != 0 else { return 1 }
        guard abs(x) < 3 else { return 0 }
        let angle = Double.pi * x
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }

    static func linear(_ level: Double) -> Double {
        let x = level / 255
        return 255 * (x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4))
    }

    static func level(_ linear: Double) -> Double {
        let x = min(max(linear / 255, 0), 1)
        return 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055)
    }

    /// The samples as they are filtered: in linear light, multiplied by alpha.
    private func samples(_ picture: ResamplerPicture, plane: Int) -> [Double] {
        let model = picture.layout.model
        var samples = picture.planes[plane].map(Double.init)
        let channels = picture.layout.planes[plane].channels
        for index in samples.indices where !(model.hasAlpha && index % channels == channels - 1) {
            if isLinearLight && model != .videoYCbCr { samples[index] = Self.linear(samples[index]) }
            if model.hasAlpha { samples[index] *= samples[index - index % channels + channels - 1] / 255 }
        }
        return samples
    }

    private func plane(
        _ samples: [Double],
        _ plane: SamplePlane,
        scaled: PixelSize,
        kept: PixelArea
    ) -> [Double] {
        let (width, height, channels) = (plane.size.width, plane.size.height, plane.channels)
        var columns: [Double] = []
        for y in kept.top..<kept.top + kept.size.height {
            let weights = weights(y, of: height, extent: plane.height, scaled: scaled.height)
            for place in 0..<width * channels {
                columns.append(
                    weights.reduce(0) { $0 + $1.weight * samples[$1.sample * width * channels + place] }
                )
            }
        }
        var output: [Double] = []
        for y in 0..<kept.size.height {
            for x in kept.left..<kept.left + kept.size.width {
                let weights = weights(x, of: width, extent: plane.width, scaled: scaled.width)
                for channel in 0..<channels {
                    output.append(
                        weights.reduce(0) {
                            $0 + $1.weight * columns[(y * width + $1.sample) * channels + channel]
                        }
                    )
                }
            }
        }
        return output
    }

    private func weights(
        _ index: Int,
        of samples: Int,
        extent: Double,
        scaled: Int
    ) -> [(sample: Int, weight: Double)] {
        let ratio = extent / Double(scaled)
        let centre = (Double(index) + 0.5) * ratio
        let radius = 3 * max(1, ratio)
        let near = max(0, Int(centre - radius) - 1)..<min(samples, Int(centre + radius) + 2)
        let weights = near.map {
            (sample: $0, weight: Self.lanczos((Double($0) + 0.5 - centre) / max(1, ratio)))
        }
        let sum = weights.reduce(0) { $0 + $1.weight }
        return weights.map { ($0.sample, $0.weight / sum) }
    }

    private func straight(_ pixel: [Double], _ model: SampleLayout.Model) -> [Double] {
        let colours = model.hasAlpha ? pixel.dropLast() : pixel[...]
        let alpha = model.hasAlpha ? pixel[pixel.count - 1] : 255
        let levels = colours.map { colour in
            guard alpha >= 0.5 else { return 0.0 }
            let level = colour * 255 / alpha
            return isLinearLight ? Self.level(level) : min(max(level, 0), 255)
        }
        return model.hasAlpha ? levels + [min(max(alpha, 0), 255)] : levels
    }

    /// ITU-R BT.601 in video range, with the factors of libwebp.
    func colour(y: Double, cb: Double, cr: Double) -> [Double] {
        let (y, cb, cr) = (min(max(y, 0), 255), min(max(cb, 0), 255), min(max(cr, 0), 255))
        let luma = 19_077 * (y - 16) / 16_384
        let (blue, red) = ((cb - 128) / 16_384, (cr - 128) / 16_384)
        return [luma + 26_149 * red, luma - 6_419 * blue - 13_320 * red, luma + 33_050 * blue]
            .map { min(max($0, 0), 255) }
    }
}
