// ICC profiles (ISO 15076-1).
extension HandMade {
    /// The red, green and blue of a profile, in XYZ adapted to D50.
    typealias Primaries = [[Double]]

    /// The primaries of sRGB.
    static let sRGB: Primaries = [
        [0.4361, 0.2225, 0.0139], [0.3851, 0.7169, 0.0971], [0.1431, 0.0606, 0.7141],
    ]
    /// The primaries of Adobe RGB (1998).
    static let adobeRGB: Primaries = [
        [0.6097, 0.3111, 0.0195], [0.2053, 0.6257, 0.0609], [0.1492, 0.0632, 0.7446],
    ]
    /// The primaries of Display P3.
    static let displayP3: Primaries = [
        [0.51512, 0.2412, -0.00105], [0.29198, 0.69225, 0.04189], [0.1571, 0.06657, 0.78407],
    ]
    /// The curve of sRGB: exponent, factor, offset, slope of the straight part and its end.
    static let sRGBCurve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]

    /// A matrix profile of a display: a header, a tag table, three primaries and one curve for all channels.
    static func profile(
        _ primaries: Primaries,
        curve: [Double] = sRGBCurve,
        space: String = "RGB "
    ) -> [UInt8] {
        let names = ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"]
        let data = 132 + 12 * names.count
        var table = big(names.count, 4)
        var body: [UInt8] = []
        for (name, numbers) in zip(names, primaries) {
            table += Array(name.utf8) + big(data + body.count, 4) + big(20, 4)
            body += Array("XYZ ".utf8) + big(0, 4) + numbers.flatMap(fixed)
        }
        for name in names.suffix(3) { table += Array(name.utf8) + big(data + body.count, 4) + big(32, 4) }
        body += Array("para".utf8) + big(0, 4) + [0, 3, 0, 0] + curve.flatMap(fixed)
        return profileHead(length: data + body.count, space: space) + table + body
    }

    /// A JPEG with an ICC profile in an APP2 segment.
    static func jpeg(_ jpeg: [UInt8], profile: [UInt8]) -> [UInt8] {
        let segment = Array("ICC_PROFILE".utf8) + [0, 1, 1] + profile
        return Self.jpeg(jpeg, marker: 0xE2, segment: segment)
    }

    /// A PNG with an ICC profile in an iCCP chunk.
    static func png(_ png: [UInt8], profile: [UInt8]) -> [UInt8] {
        Self.png(png, inserting: "iCCP", Array("profile".utf8) + [0, 0] + stored(profile))
    }

    private static func profileHead(length: Int, space: String) -> [UInt8] {
        var head = [UInt8](repeating: 0, count: 128)
        let fields = [
            (0, big(length, 4)), (8, [4, 0x30, 0, 0]), (12, Array(("mntr" + space + "XYZ ").utf8)),
            (36, Array("acsp".utf8)), (68, [0.9642, 1, 0.8249].flatMap(fixed)),
        ]
        for (offset, bytes) in fields { head.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
        return head
    }

    private static func fixed(_ number: Double) -> [UInt8] {
        big(Int(number * 65_536), 4)
    }
}
