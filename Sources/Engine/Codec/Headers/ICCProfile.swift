import CalotypePlatform

/// Reads the description from ICC profiles (ISO 15076-1).
enum ICCProfile {
    /// The name of the profile in `bytes`: its description, "unnamed" if it has none, `nil` for no bytes.
    static func name(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return nil }
        var reader = ByteReader(bytes)
        let description = try? description(&reader)
        // A damaged profile is no reason to refuse a picture; it still counts as a profile.
        return description.flatMap { $0.isEmpty ? nil : $0 } ?? "unnamed"
    }

    private static func description(_ reader: inout ByteReader) throws(CodecError) -> String {
        let tags = min(try reader.big(128, 4), 200)
        for tag in 0..<tags where try reader.matches("desc", at: 132 + 12 * tag) {
            let offset = try reader.big(136 + 12 * tag, 4)
            return try printable(text(&reader, at: offset))
        }
        return ""
    }

    private static func text(_ reader: inout ByteReader, at offset: Int) throws(CodecError) -> String {
        if try reader.matches("mluc", at: offset) {
            let length = min(try reader.big(offset + 20, 4), 256)
            let start = offset + (try reader.big(offset + 24, 4))
            var units: [UInt16] = []
            for i in 0..<length / 2 { units.append(UInt16(try reader.big(start + 2 * i, 2))) }
            return String(decoding: units, as: UTF16.self)
        }
        let length = min(try reader.big(offset + 8, 4), 256)
        return String(decoding: try reader.bytes(offset + 12, length), as: UTF8.self)
    }

    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.map(Character.init))
    }
}

extension ICCProfile {
    /// Whether the profile in `bytes` is equivalent to sRGB (IEC 61966-2-1), whatever its name.
    ///
    /// It is equivalent if it is a matrix profile (ISO 15076-1, F.3) with sRGB's primaries and tone curve,
    /// both to less than a step of eight bits.
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

    private static func computesSRGB(_ reader: inout ByteReader) throws(CodecError) -> Bool {
        guard try reader.matches("RGB ", at: 16), try reader.matches("XYZ ", at: 20) else { return false }
        let tags = try tags(&reader)
        // With a table, the matrix is only a fallback.
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

    /// The offset of each tag's contents.
    static func tags(_ reader: inout ByteReader) throws(CodecError) -> [String: Int] {
        var tags: [String: Int] = [:]
        for tag in 0..<min(try reader.big(128, 4), 200) {
            tags[try reader.code(132 + 12 * tag)] = try reader.big(136 + 12 * tag, 4)
        }
        return tags
    }

    private static func isSRGBCurve(_ reader: inout ByteReader, _ offset: Int) throws(CodecError) -> Bool {
        for step in 1...16 {
            let x = Double(step) / 16
            guard let y = try curve(&reader, offset, x), abs(y - linear(x)) < 0.003 else { return false }
        }
        return true
    }

    /// The curve at `x`, 0 to 1; `nil` for a kind that sRGB does not use.
    private static func curve(
        _ reader: inout ByteReader,
        _ offset: Int,
        _ x: Double
    ) throws(CodecError) -> Double? {
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

    /// The light for sRGB's value `x`.
    private static func linear(_ x: Double) -> Double {
        x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
    }

    /// A signed number with 15 bits before the point and 16 after it.
    private static func fixed(_ reader: inout ByteReader, _ offset: Int) throws(CodecError) -> Double {
        Double(Int32(truncatingIfNeeded: try reader.big(offset, 4))) / 65_536
    }
}

extension ICCProfile {
    /// How colours are converted between devices, with the numbers of ISO 15076-1, 7.2.15.
    enum Intent: Int32 {
        case perceptual = 0
        case relative = 1
        case saturation = 2
    }

    /// The intent for applying `profile`: relative colorimetric, if it has a table or curves for it.
    ///
    /// Otherwise the first intent that it has a table for. The profiles of some encoders, such as those of
    /// XYB JPEG, have only a perceptual table.
    static func intent(of profile: [UInt8]) -> Intent {
        var reader = ByteReader(profile)
        guard let tags = try? tags(&reader) else { return .relative }
        let hasCurves = tags["kTRC"] != nil || tags["rTRC"] != nil && tags["rXYZ"] != nil
        if tags["A2B1"] != nil || hasCurves { return .relative }
        if tags["A2B0"] != nil { return .perceptual }
        return tags["A2B2"] != nil ? .saturation : .relative
    }
}

extension ICCProfile {
    /// The device that a profile describes, as far as the fast path needs it.
    enum Kind: Equatable {
        /// Greys, by a curve.
        case grey
        /// Red, green and blue, by curves and a matrix or by tables.
        case colours
        /// A device of another model, such as CMYK.
        case other
        /// No profile, or a truncated one.
        case broken
        /// A rare kind, for the given reason in a few words.
        case odd(String)
    }

    /// Examines the header and the tags of `profile` (ISO 15076-1, 7.2 and 7.3).
    static func kind(of profile: [UInt8]) -> Kind {
        var reader = ByteReader(profile)
        return (try? kind(&reader)) ?? .broken
    }

    /// Tags of version 4.3 that can be chains of any length; curves, matrices and tables are few.
    private static let chains = ["D2B0", "D2B1", "D2B2", "D2B3"]
    private static let mostTags = 100

    private static func kind(_ reader: inout ByteReader) throws(CodecError) -> Kind {
        guard try reader.matches("acsp", at: 36) else { return .broken }
        let count = try reader.big(128, 4)
        guard count <= mostTags else { return .odd("a profile of very many tags") }
        for tag in 0..<count where chains.contains(try reader.code(132 + 12 * tag)) {
            return .odd("a profile of chained elements")
        }
        switch try reader.code(12) {
        case "scnr", "mntr", "prtr", "spac": return try device(&reader)
        default: return .odd("a profile of no device")
        }
    }

    private static func device(_ reader: inout ByteReader) throws(CodecError) -> Kind {
        switch try reader.code(16) {
        case "GRAY": .grey
        case "RGB ": .colours
        case "CMYK", "CMY ": .other
        default: .odd("a profile of an unusual colour model")
        }
    }
}
