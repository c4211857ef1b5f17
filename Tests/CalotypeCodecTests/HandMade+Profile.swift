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

    /// A profile of greys: a header, and a curve that is one exponent.
    static func greyProfile(exponent: Double = 2.2) -> [UInt8] {
        let curve = Array("curv".utf8) + big(0, 4) + big(1, 4) + big(Int(exponent * 256), 2) + [0, 0]
        return profile(tag: "kTRC", curve, space: "GRAY", connection: "XYZ ")
    }

    /// A profile of colours by a table of `grid` steps each way, of 8 bits, into Lab; `intent` 0 is perceptual, 1 relative, 2
    /// saturation.
    static func tableProfile(grid: Int = 9, intent: Int = 1) -> [UInt8] {
        let straight = (0..<3).flatMap { _ in (0...255).map { UInt8($0) } }
        let identity = (0..<9).flatMap { fixed($0 % 4 == 0 ? 1 : 0) }
        var table: [UInt8] = []
        for index in 0..<grid * grid * grid {
            let steps = [index / (grid * grid), index / grid % grid, index % grid]
            let (r, g, b) = (
                255 * steps[0] / (grid - 1), 255 * steps[1] / (grid - 1), 255 * steps[2] / (grid - 1)
            )
            table += [UInt8((3 * r + 6 * g + b) / 10), UInt8(128 + (r - g) / 4), UInt8(128 + (g - b) / 4)]
        }
        let body =
            Array("mft1".utf8) + big(0, 4) + [3, 3, UInt8(grid), 0] + identity + straight + table + straight
        return profile(tag: "A2B\(intent)", body, space: "RGB ", connection: "Lab ")
    }

    /// A profile of Lab itself.
    static func labProfile() -> [UInt8] {
        let identity = (0..<9).flatMap { fixed($0 % 4 == 0 ? 1 : 0) }
        let ends = (0..<3).flatMap { _ in (0...255).map { UInt8($0) } }
        var corners: [UInt8] = []
        for corner in 0..<8 {
            for bit in [4, 2, 1] { corners.append(corner & bit == 0 ? 0 : 255) }
        }
        let body = Array("mft1".utf8) + big(0, 4) + [3, 3, 2, 0] + identity + ends + corners + ends
        return profile(tag: "A2B0", body, space: "Lab ", connection: "Lab ")
    }

    /// A profile of one tag.
    private static func profile(
        tag: String,
        _ body: [UInt8],
        space: String,
        connection: String
    ) -> [UInt8] {
        let table = big(1, 4) + Array(tag.utf8) + big(144, 4) + big(body.count, 4)
        var head = profileHead(length: 144 + body.count, space: space)
        head.replaceSubrange(20..<24, with: Array(connection.utf8))
        // As a scanner's: one of a display has to have tables both ways.
        head.replaceSubrange(12..<16, with: Array("scnr".utf8))
        return head + table + body
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
