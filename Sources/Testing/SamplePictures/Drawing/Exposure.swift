import CalotypeCore
import CalotypePlatform

/// Turns a painted canvas into a full-size bitmap: enlarges it, darkens the corners, adds film grain.
///
/// Scenes are painted at about half a megapixel, because their noise costs a hundred times more per pixel
/// than this step. The grain at full size gives the result the file size of a photograph.
struct Exposure {
    private static let grainCount = 4096
    /// Positions on the canvas are in 1/256 pixel.
    private static let unit = 256

    private let columns: [Int32]
    private let canvasWidth: Int
    private let canvasHeight: Int
    private let grain: [Int32]
    private var random: SeededRandom

    init(_ canvas: Canvas, _ random: SeededRandom) {
        self.random = random
        canvasWidth = canvas.width
        canvasHeight = canvas.height
        columns = Self.developed(canvas)
        grain = Self.grainTable(&self.random)
    }

    /// Returns the picture at `size`, upright.
    mutating func bitmap(_ size: PixelSize) -> Bitmap {
        var rgba = [UInt8](repeating: 255, count: size.pixelCount * 4)
        var line = [Int32](repeating: 0, count: (canvasWidth + 1) * 3)
        let steps = Self.steps(from: canvasWidth, to: size.width)
        let rows = Self.steps(from: canvasHeight, to: size.height)
        for y in 0..<size.height {
            blendRows(rows[y], into: &line)
            let shift = Int(truncatingIfNeeded: random.next() & 4095)
            expose(line, steps, shift, into: &rgba, at: y * size.width * 4)
        }
        return Bitmap(size: size, rgba: rgba)
    }

    private func blendRows(_ position: Int, into line: inout [Int32]) {
        let upper = position / Self.unit
        let lower = min(upper + 1, canvasHeight - 1)
        let weight = Int32(position % Self.unit)
        let stride = canvasWidth * 3
        for index in 0..<stride {
            let a = columns[upper &* stride &+ index]
            let b = columns[lower &* stride &+ index]
            line[index] = a &+ ((b &- a) &* weight) >> 8
        }
        // One more pixel, so that the last one has a right neighbour.
        for channel in 0..<3 {
            line[stride + channel] = line[stride - 3 + channel]
        }
    }

    private func expose(
        _ line: [Int32],
        _ steps: [Int],
        _ shift: Int,
        into rgba: inout [UInt8],
        at start: Int
    ) {
        var out = start
        for x in 0..<steps.count {
            let position = steps[x]
            let left = (position >> 8) &* 3
            let weight = Int32(truncatingIfNeeded: position & 255)
            let speck = grain[(x &+ shift) & (Self.grainCount &- 1)]
            for channel in 0..<3 {
                let a = line[left &+ channel]
                let b = line[left &+ channel &+ 3]
                let value = (a &+ ((b &- a) &* weight) >> 8 &+ speck) >> 7
                rgba[out &+ channel] = UInt8(truncatingIfNeeded: max(0, min(255, value)))
            }
            out &+= 4
        }
    }

    /// Returns the canvas as 15-bit integers, with soft highlights and darker corners.
    private static func developed(_ canvas: Canvas) -> [Int32] {
        var values = [Int32]()
        values.reserveCapacity(canvas.pixels.count * 3)
        let aspect = canvas.aspect
        for (index, pixel) in canvas.pixels.enumerated() {
            let x = Float(index % canvas.width) * canvas.pixel - aspect / 2
            let y = Float(index / canvas.width) * canvas.pixel - 0.5
            let corner = 1 - 0.3 * (x * x + y * y) / (aspect * aspect / 4 + 0.25)
            for channel in [pixel.r, pixel.g, pixel.b] {
                values.append(Int32(toned(channel * corner) * 32_640))
            }
        }
        return values
    }

    /// Leaves shadows and middle tones unchanged and compresses light above 0.8 towards white.
    private static func toned(_ value: Float) -> Float {
        let v = max(0, value)
        return v < 0.8 ? v : 1 - 0.04 / (v - 0.6)
    }

    /// Returns the position of each output pixel on the canvas, in 1/256 pixel.
    private static func steps(from: Int, to: Int) -> [Int] {
        let last = max(0, (from - 1) * unit)
        return (0..<to).map { max(0, min(last, ((2 * $0 + 1) * from * unit / to - unit) / 2)) }
    }

    /// Returns grain with similar neighbours, as in film and in sensors with a mosaic.
    private static func grainTable(_ random: inout SeededRandom) -> [Int32] {
        let strength = random.number(350...900)
        var previous: Float = 0
        return (0..<grainCount).map { _ in
            let white = random.number(-1...1) + random.number(-1...1)
            previous = previous * 0.35 + white * 0.65
            return Int32(previous * strength)
        }
    }
}
