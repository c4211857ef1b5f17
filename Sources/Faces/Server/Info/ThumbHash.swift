import CalotypeCore
import CalotypePlatform

/// A few bytes that describe a blurred image: average colour, a handful of cosine waves, aspect ratio.
///
/// The format is ThumbHash (E. Wallace, 2023, https://evanw.github.io/thumbhash/): luminance, two colour
/// differences and, for images with transparency, alpha, each as the first coefficients of a discrete cosine
/// transform.
enum ThumbHash {
    /// The coefficients of one channel.
    private struct Waves {
        var mean = 0.0
        var rest: [Double] = []
        var scale = 0.0
    }

    /// Returns the hash of `bitmap`, whose sides may have at most 100 pixels.
    static func bytes(of bitmap: Bitmap) -> [UInt8] {
        let size = bitmap.size
        let channels = channels(of: bitmap)
        let most = channels.hasAlpha ? 5.0 : 7.0
        let longer = Double(max(size.width, size.height))
        let across = max(1, Int((most * Double(size.width) / longer).rounded()))
        let down = max(1, Int((most * Double(size.height) / longer).rounded()))
        let light = waves(channels.light, size, max(3, across), max(3, down))
        let yellow = waves(channels.yellow, size, 3, 3)
        let red = waves(channels.red, size, 3, 3)
        var hash = head(light, yellow, red, size, hasAlpha: channels.hasAlpha, across: across, down: down)
        var coefficients = light.rest + yellow.rest + red.rest
        if channels.hasAlpha {
            let alpha = waves(channels.alpha, size, 5, 5)
            hash.append(UInt8(level(alpha.mean, 15) | level(alpha.scale, 15) << 4))
            coefficients += alpha.rest
        }
        return hash + nibbles(coefficients)
    }

    private static func head(
        _ light: Waves,
        _ yellow: Waves,
        _ red: Waves,
        _ size: PixelSize,
        hasAlpha: Bool,
        across: Int,
        down: Int
    ) -> [UInt8] {
        let isWide = size.width > size.height
        let means =
            level(light.mean, 63) | level(0.5 + 0.5 * yellow.mean, 63) << 6
            | level(0.5 + 0.5 * red.mean, 63) << 12 | level(light.scale, 31) << 18 | (hasAlpha ? 1 << 23 : 0)
        let scales =
            (isWide ? down : across) | level(yellow.scale, 63) << 3 | level(red.scale, 63) << 9
            | (isWide ? 1 << 15 : 0)
        return [means, means >> 8, means >> 16, scales, scales >> 8].map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Quantises `value`, 0 to 1, to a level from 0 to `most`.
    private static func level(_ value: Double, _ most: Double) -> Int {
        Int((min(max(value, 0), 1) * most).rounded())
    }

    private static func nibbles(_ coefficients: [Double]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (coefficients.count + 1) / 2)
        for (index, value) in coefficients.enumerated() {
            bytes[index / 2] |= UInt8(level(value, 15) << (index % 2 * 4))
        }
        return bytes
    }

    /// Returns the cosine waves of `channel`, lowest frequency first; all but the mean are scaled to 0 to 1.
    private static func waves(_ channel: [Double], _ size: PixelSize, _ across: Int, _ down: Int) -> Waves {
        var waves = Waves()
        for row in 0..<down {
            let columns = (0..<across).prefix { $0 * down < across * (down - row) }
            for column in columns {
                let value = coefficient(channel, size, column, row)
                if column == 0, row == 0 {
                    waves.mean = value
                } else {
                    waves.rest.append(value)
                    waves.scale = max(waves.scale, abs(value))
                }
            }
        }
        if waves.scale > 0 { waves.rest = waves.rest.map { 0.5 + 0.5 / waves.scale * $0 } }
        return waves
    }

    private static func coefficient(
        _ channel: [Double],
        _ size: PixelSize,
        _ column: Int,
        _ row: Int
    ) -> Double {
        let across = cosines(size.width, column)
        var sum = 0.0
        for (y, factor) in cosines(size.height, row).enumerated() {
            let line = y * size.width
            for x in 0..<size.width { sum += channel[line + x] * across[x] * factor }
        }
        return sum / Double(size.pixelCount)
    }

    private static func cosines(_ count: Int, _ wave: Int) -> [Double] {
        (0..<count).map { cos(Double.pi / Double(count) * Double(wave) * (Double($0) + 0.5)) }
    }

    private struct Channels {
        var light: [Double] = []
        var yellow: [Double] = []
        var red: [Double] = []
        var alpha: [Double] = []
        var hasAlpha = false
    }

    /// Returns the channels of the image on top of its average colour.
    private static func channels(of bitmap: Bitmap) -> Channels {
        let mean = meanColour(of: bitmap)
        var channels = Channels()
        channels.hasAlpha = mean.alpha < Double(bitmap.size.pixelCount)
        for start in stride(from: 0, to: bitmap.rgba.count, by: 4) {
            let alpha = Double(bitmap.rgba[start + 3]) / 255
            let red = mean.red * (1 - alpha) + alpha / 255 * Double(bitmap.rgba[start])
            let green = mean.green * (1 - alpha) + alpha / 255 * Double(bitmap.rgba[start + 1])
            let blue = mean.blue * (1 - alpha) + alpha / 255 * Double(bitmap.rgba[start + 2])
            channels.light.append((red + green + blue) / 3)
            channels.yellow.append((red + green) / 2 - blue)
            channels.red.append(red - green)
            channels.alpha.append(alpha)
        }
        return channels
    }

    private static func meanColour(
        of bitmap: Bitmap
    ) -> (red: Double, green: Double, blue: Double, alpha: Double) {
        var (red, green, blue, sum) = (0.0, 0.0, 0.0, 0.0)
        for start in stride(from: 0, to: bitmap.rgba.count, by: 4) {
            let alpha = Double(bitmap.rgba[start + 3]) / 255
            red += alpha / 255 * Double(bitmap.rgba[start])
            green += alpha / 255 * Double(bitmap.rgba[start + 1])
            blue += alpha / 255 * Double(bitmap.rgba[start + 2])
            sum += alpha
        }
        guard sum > 0 else { return (0, 0, 0, 0) }
        return (red / sum, green / sum, blue / sum, sum)
    }
}
