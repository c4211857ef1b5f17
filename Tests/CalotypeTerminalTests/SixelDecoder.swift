import CalotypeCore

/// Reads sixels as DEC's VT330/VT340 manual describes them, without the code that wrote them.
struct SixelDecoder {
    private(set) var pixels: [PixelSize: [Double]] = [:]
    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var lineFeedAtEnd = false

    /// The colours of pixels by place, 0 to 100 for red, green and blue; those that are not drawn are missing.
    init?(_ bytes: [UInt8]) {
        var text = Substring(String(decoding: bytes, as: UTF8.self))
        guard text.hasPrefix("\u{1B}P0;1;0q"), text.hasSuffix("\u{1B}\\") else { return nil }
        text = text.dropFirst(8).dropLast(2)
        lineFeedAtEnd = text.last == "-"
        var palette: [Int: [Double]] = [:]
        var (x, y, pen, repeats) = (0, 0, 0, 1)
        while let character = text.popFirst() {
            switch character {
            case "\"":
                let numbers = Self.numbers(&text)
                guard numbers.count == 4 else { return nil }
                size = PixelSize(width: numbers[2], height: numbers[3])
            case "#":
                let numbers = Self.numbers(&text)
                pen = numbers[0]
                if numbers.count == 5 { palette[pen] = numbers[2...].map(Double.init) }
            case "!": repeats = Self.numbers(&text)[0]
            case "$": x = 0
            case "-": (x, y) = (0, y + 6)
            case "?"..."~":
                let bits = Int(character.asciiValue ?? 63) - 63
                for offset in 0..<repeats {
                    for bit in 0..<6 where bits & 1 << bit != 0 {
                        pixels[PixelSize(width: x + offset, height: y + bit)] = palette[pen]
                    }
                }
                (x, repeats) = (x + repeats, 1)
            default: return nil
            }
        }
    }

    private static func numbers(_ text: inout Substring) -> [Int] {
        let part = text.prefix { $0.isNumber || $0 == ";" }
        text = text.dropFirst(part.count)
        return part.split(separator: ";").compactMap { Int($0) }
    }
}
