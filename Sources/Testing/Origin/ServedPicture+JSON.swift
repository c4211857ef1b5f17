import FoundationEssentials

extension ServedPicture {
    /// A JSON document, which is served as a picture is: with a tag, conditional requests and faults.
    static func json(_ value: some Encodable, cacheControl: String? = nil) throws -> ServedPicture {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return ServedPicture(
            bytes: Array(try encoder.encode(value)) + [UInt8(ascii: "\n")],
            mediaType: "application/json; charset=utf-8",
            cacheControl: cacheControl
        )
    }
}
