import FoundationEssentials

/// Makes JSON for tests that need no more of Foundation.
enum JSONBytes {
    static func of(_ value: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoder().encode(value))
    }
}
