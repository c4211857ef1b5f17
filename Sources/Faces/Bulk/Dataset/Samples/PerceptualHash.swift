import CalotypeCore
internal import CalotypePlatform

/// The perceptual hash of a picture, as `imagehash.phash` of Python's ImageHash 4.3 computes it.
///
/// Greys of 32 by 32 pixels, as Pillow makes them, are transformed by a discrete cosine transform. Each of its 64
/// lowest frequencies is a bit that says whether it is above their median.
enum PerceptualHash {
    private static let side = 32
    private static let bitSide = 8

    /// Returns the hash, whose first bit is the highest.
    static func hash(of bitmap: Bitmap) -> UInt64 {
        let small = PillowScaler.scaled(greys(of: bitmap), bitmap.size, to: side)
        let low = frequencies(small)
        let sorted = low.sorted()
        let median = (sorted[low.count / 2 - 1] + sorted[low.count / 2]) / 2
        return low.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
    }

    /// Returns the hash as ImageHash writes it.
    static func text(_ hash: UInt64) -> String {
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// Pillow's mode L: ITU-R 601-2 in fractions of 65,536.
    private static func greys(of bitmap: Bitmap) -> [UInt8] {
        let pixels = bitmap.rgba.span
        var greys = [UInt8](repeating: 0, count: bitmap.size.pixelCount)
        for pixel in greys.indices {
            let red = UInt32(pixels[pixel * 4]) * 19_595
            let green = UInt32(pixels[pixel * 4 + 1]) * 38_470
            let blue = UInt32(pixels[pixel * 4 + 2]) * 7471
            greys[pixel] = UInt8(truncatingIfNeeded: (red + green + blue + 0x8000) >> 16)
        }
        return greys
    }

    /// Returns the lowest frequencies of the DCT-II in both directions, row by row; not normalised, as SciPy's.
    private static func frequencies(_ pixels: [UInt8]) -> [Double] {
        var down: [Double] = []
        for frequency in 0..<bitSide {
            for x in 0..<side { down.append(sum(frequency, side) { Double(pixels[$0 * side + x]) }) }
        }
        var low: [Double] = []
        for row in 0..<bitSide {
            for frequency in 0..<bitSide { low.append(sum(frequency, side) { down[row * side + $0] }) }
        }
        return low
    }

    /// Returns one frequency of `count` values.
    private static func sum(_ frequency: Int, _ count: Int, _ value: (Int) -> Double) -> Double {
        var sum = 0.0
        for index in 0..<count {
            let angle = Double.pi * Double(frequency * (2 * index + 1)) / Double(2 * count)
            sum += 2 * cos(angle) * value(index)
        }
        return sum
    }
}

/// Scales a grey picture as Pillow does with LANCZOS (`Resample.c` of Pillow 12), to the bit.
private enum PillowScaler {
    /// Bits of a coefficient's fraction: a sum of two 8-bit numbers has room above.
    private static let precision = 32 - 8 - 2
    private static let support = 3.0

    /// For a pixel of the result: the first pixel of the source, and the coefficients from there on.
    private struct Window {
        let first: Int
        let coefficients: [Int32]
    }

    /// Returns `pixels` scaled to a square.
    static func scaled(_ pixels: [UInt8], _ size: PixelSize, to side: Int) -> [UInt8] {
        // As in Pillow, a direction that has the size already is left alone.
        var across = pixels
        if size.width != side {
            across = []
            let windows = windows(from: size.width, to: side)
            for row in 0..<size.height {
                for window in windows {
                    across.append(
                        sum(pixels, at: row * size.width + window.first, step: 1, window.coefficients)
                    )
                }
            }
        }
        guard size.height != side else { return across }
        var result: [UInt8] = []
        for window in windows(from: size.height, to: side) {
            for column in 0..<side {
                result.append(sum(across, at: window.first * side + column, step: side, window.coefficients))
            }
        }
        return result
    }

    private static func sum(_ pixels: [UInt8], at start: Int, step: Int, _ coefficients: [Int32]) -> UInt8 {
        var (sum, place) = (Int32(1) << Int32(precision - 1), start)
        for coefficient in coefficients {
            sum &+= Int32(pixels[place]) &* coefficient
            place += step
        }
        return UInt8(clamping: sum >> Int32(precision))
    }

    private static func windows(from length: Int, to side: Int) -> [Window] {
        let scale = Double(length) / Double(side)
        let filterScale = max(scale, 1)
        let reach = support * filterScale
        return (0..<side).map { index in
            let centre = (Double(index) + 0.5) * scale
            let first = max(Int(centre - reach + 0.5), 0)
            let end = min(Int(centre + reach + 0.5), length)
            var weights = (first..<end).map { lanczos((Double($0) - centre + 0.5) * (1 / filterScale)) }
            let total = weights.reduce(0, +)
            if total != 0 { weights = weights.map { $0 / total } }
            return Window(
                first: first,
                coefficients: weights.map { weight in
                    Int32((weight < 0 ? -0.5 : 0.5) + weight * Double(1 << precision))
                }
            )
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        -support <= x && x < support ? sinc(x) * sinc(x / support) : 0
    }

    private static func sinc(_ x: Double) -> Double {
        let angle = x * .pi
        return angle == 0 ? 1 : sin(angle) / angle
    }
}
