import CalotypeCore

/// The few colours that cover most of an image.
///
/// Pixels are counted in 512 boxes of similar colours, and each box is merged into a fuller one that is close
/// to it. The same pixels always give the same colours.
enum DominantColours {
    /// A colour and its share of the image.
    struct Colour: Hashable, Sendable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
        /// The share of the pixels, 0 to 1.
        var share: Double

        /// The colour in hexadecimal, such as `#c0ffee`.
        var text: String {
            "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    fileprivate struct Box {
        var red = 0
        var green = 0
        var blue = 0
        var weight = 0

        mutating func add(_ other: Box) {
            red += other.red
            green += other.green
            blue += other.blue
            weight += other.weight
        }

        /// Returns the distance between the averages of two boxes, as the sum over the channels.
        func distance(to other: Box) -> Int {
            abs(red / weight - other.red / other.weight) + abs(green / weight - other.green / other.weight)
                + abs(blue / weight - other.blue / other.weight)
        }
    }

    /// The distance below which colours count as one.
    private static let nearness = 72

    /// Returns the colours of `bitmap`, most frequent first; none if it is entirely transparent.
    static func of(_ bitmap: Bitmap, atMost limit: Int = 5) -> [Colour] {
        var merged: [Box] = []
        for box in boxes(of: bitmap) {
            if let near = merged.firstIndex(where: { $0.distance(to: box) < nearness }) {
                merged[near].add(box)
            } else {
                merged.append(box)
            }
        }
        let all = merged.reduce(0) { $0 + $1.weight }
        return merged.enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .prefix(limit)
            .map { Colour($0.element.average, share: Double($0.element.weight) / Double(all)) }
    }

    /// Returns the boxes that are not empty, fullest first.
    private static func boxes(of bitmap: Bitmap) -> [Box] {
        var boxes = [Box](repeating: Box(), count: 512)
        for start in stride(from: 0, to: bitmap.rgba.count, by: 4) {
            let pixel = bitmap.rgba[start..<start + 4].map(Int.init)
            let index = (pixel[0] >> 5) << 6 | (pixel[1] >> 5) << 3 | pixel[2] >> 5
            boxes[index].add(
                Box(
                    red: pixel[0] * pixel[3],
                    green: pixel[1] * pixel[3],
                    blue: pixel[2] * pixel[3],
                    weight: pixel[3]
                )
            )
        }
        return boxes.enumerated()
            .filter { $0.element.weight > 0 }
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element)
    }
}

extension DominantColours.Box {
    fileprivate var average: (UInt8, UInt8, UInt8) {
        let mean = { (sum: Int) in UInt8(clamping: (sum + self.weight / 2) / self.weight) }
        return (mean(red), mean(green), mean(blue))
    }
}

extension DominantColours.Colour {
    fileprivate init(_ colour: (UInt8, UInt8, UInt8), share: Double) {
        self.init(red: colour.0, green: colour.1, blue: colour.2, share: share)
    }
}
