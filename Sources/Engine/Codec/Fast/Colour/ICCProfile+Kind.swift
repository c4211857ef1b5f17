extension ICCProfile {
    /// What a profile describes, as far as the fast path cares.
    enum Kind: Equatable {
        /// Greys, by a curve.
        case grey
        /// Red, green and blue, by curves and a matrix or by tables.
        case colours
        /// A device of another model, such as CMYK.
        case other
        /// No profile, or one that is cut.
        case broken
        /// Rare; why, in a few words.
        case odd(String)
    }

    /// Looks at the header and the tags of `profile` (ISO 15076-1, 7.2 and 7.3).
    static func kind(of profile: [UInt8]) -> Kind {
        var reader = ByteReader(profile)
        return (try? kind(&reader)) ?? .broken
    }

    /// Curves, matrices and tables, of which there are few; those of version 4.3 can be chains of any length.
    private static let chains = ["D2B0", "D2B1", "D2B2", "D2B3"]
    private static let mostTags = 100

    private static func kind(_ reader: inout ByteReader) throws(HeaderFault) -> Kind {
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

    private static func device(_ reader: inout ByteReader) throws(HeaderFault) -> Kind {
        switch try reader.code(16) {
        case "GRAY": .grey
        case "RGB ": .colours
        case "CMYK", "CMY ": .other
        default: .odd("a profile of an unusual colour model")
        }
    }
}
