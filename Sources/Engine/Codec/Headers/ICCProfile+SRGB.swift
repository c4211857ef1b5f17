import Glibc

extension ICCProfile {
    /// Whether the profile in `bytes` computes what sRGB does (IEC 61966-2-1), whatever it is called: a matrix profile
    /// (ISO 15076-1, F.3) of sRGB's primaries and tone curve, both to less than a step of eight bits.
    static func isSRGB(_ bytes: [UInt8]) -> Bool {
        var reader = ByteReader(bytes)
        return (try? computesSRGB(&reader)) ?? false
    }

    /// sRGB's primaries, adapted to the profiles' white, D50.
    private static let primaries = [
        ("rXYZ", [0.4361, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]),
        ("bXYZ", [0.1431, 0.0606, 0.7141]),
    ]
    private static let curves = ["rTRC", "gTRC", "bTRC"]

    private static func computesSRGB(_ reader: inout ByteReader) throws(HeaderFault) -> Bool {
        guard try reader.matches("RGB ", at: 16), try reader.matches("XYZ ", at: 20) else { return false }
        let tags = try tags(&reader)
        // With a table the matrix is only a fallback.
        guard tags["A2B0"] == nil, tags["A2B1"] == nil else { return false }
        for (name, primary) in primaries {
            guard let offset = tags[name] else { return false }
            for (index, wanted) in primary.enumerated() {
                guard abs(try fixed(&reader, offset + 8 + 4 * index) - wanted) < 0.002 else { return false }
            }
        }
        for name in curves {
            guard let offset = tags[name], try isSRGBCurve(&reader, offset) else { return false }
        }
        return true
    }

    /// Where the contents of each tag begin.
    static func tags(_ reader: inout ByteReader) throws(HeaderFault) -> [String: Int] {
        var tags: [String: Int] = [:]
        for tag in 0..<min(try reader.big(128, 4), 200) {
            tags[try reader.code(132 + 12 * tag)] = try reader.big(136 + 12 * tag, 4)
        }
        return tags
    }

    private static func isSRGBCurve(_ reader: inout ByteReader, _ offset: Int) throws(HeaderFault) -> Bool {
        for step in 1...16 {
            let x = Double(step) / 16
            guard let y = try curve(&reader, offset, x), abs(y - linear(x)) < 0.003 else { return false }
        }
        return true
    }

    /// The curve at `x`, 0 to 1; `nil` for a kind that sRGB is not written in.
    private static func curve(
        _ reader: inout ByteReader,
        _ offset: Int,
        _ x: Double
    ) throws(HeaderFault) -> Double? {
        if try reader.matches("curv", at: offset) {
            let count = try reader.big(offset + 8, 4)
            guard count > 2 else { return nil }
            let position = x * Double(count - 1)
            let index = min(Int(position), count - 2)
            let low = Double(try reader.big(offset + 12 + 2 * index, 2))
            let high = Double(try reader.big(offset + 14 + 2 * index, 2))
            return (low + (high - low) * (position - Double(index))) / 65_535
        }
        guard try reader.matches("para", at: offset), try reader.big(offset + 8, 2) == 3 else { return nil }
        var parameters: [Double] = []
        for index in 0..<5 { parameters.append(try fixed(&reader, offset + 12 + 4 * index)) }
        let (g, a, b, c, d) = (parameters[0], parameters[1], parameters[2], parameters[3], parameters[4])
        return x >= d ? pow(a * x + b, g) : c * x
    }

    /// The light that sRGB's value `x` stands for.
    private static func linear(_ x: Double) -> Double {
        x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
    }

    /// A number of 15 bits before the point, a sign, and 16 bits behind it.
    private static func fixed(_ reader: inout ByteReader, _ offset: Int) throws(HeaderFault) -> Double {
        Double(Int32(truncatingIfNeeded: try reader.big(offset, 4))) / 65_536
    }
}
