import Testing

@testable import CalotypeCodec

struct ProfileTests {
    private static let sRGB: [(String, [Double])] = [
        ("rXYZ", [0.4361, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]),
        ("bXYZ", [0.1431, 0.0606, 0.7141]),
    ]
    private static let adobe: [(String, [Double])] = [
        ("rXYZ", [0.6097, 0.3111, 0.0195]), ("gXYZ", [0.2053, 0.6257, 0.0609]),
        ("bXYZ", [0.1492, 0.0632, 0.7446]),
    ]
    private static let curve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]

    @Test func `a profile that computes sRGB is told by its numbers, not by its name`() {
        #expect(ICCProfile.isSRGB(profile(Self.sRGB, Self.curve)))
        #expect(!ICCProfile.isSRGB(profile(Self.adobe, Self.curve)))
        #expect(!ICCProfile.isSRGB(profile(Self.sRGB, [2.2, 1, 0, 0, 0])))
        #expect(!ICCProfile.isSRGB(profile(Self.sRGB, Self.curve, space: "CMYK")))
    }

    @Test func `every prefix of a profile is no sRGB and no crash`() {
        let whole = profile(Self.sRGB, Self.curve)
        for length in 0..<whole.count { #expect(!ICCProfile.isSRGB(Array(whole[..<length]))) }
    }

    /// A matrix profile: a header, a tag table, three primaries and one curve for all channels.
    private func profile(
        _ primaries: [(String, [Double])],
        _ curve: [Double],
        space: String = "RGB "
    ) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 128)
        header.replaceSubrange(16..<24, with: Array((space + "XYZ ").utf8))
        let names = primaries.map(\.0) + ["rTRC", "gTRC", "bTRC"]
        let data = 132 + 12 * names.count
        var table = word(names.count)
        var body: [UInt8] = []
        for (name, numbers) in primaries {
            table += Array(name.utf8) + word(data + body.count) + word(20)
            body += Array("XYZ ".utf8) + word(0) + numbers.flatMap(fixed)
        }
        for name in names.suffix(3) { table += Array(name.utf8) + word(data + body.count) + word(32) }
        body += Array("para".utf8) + word(0) + [0, 3, 0, 0] + curve.flatMap(fixed)
        return header + table + body
    }

    private func word(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private func fixed(_ number: Double) -> [UInt8] {
        word(Int(number * 65_536))
    }
}
