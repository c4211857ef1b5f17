/// URLs that hold their content (RFC 2397).
enum DataURL {
    /// The content in what follows `data:`, at most `most` bytes.
    ///
    /// - Throws: `invalid_url`, `too_many_bytes`.
    static func bytes(_ rest: Substring.UTF8View, most: ByteCount) throws(CalotypeError) -> [UInt8] {
        let url = rest.prefix { $0 != UInt8(ascii: "#") }
        guard let comma = url.firstIndex(of: UInt8(ascii: ",")) else { throw invalid("it has no comma") }
        guard let content = PercentEscapes.decoded(url[comma...].dropFirst()) else {
            throw invalid("a percent sign is not followed by two hexadecimal digits")
        }
        guard isBase64(url[..<comma]) else { return try checked(content, most) }
        guard let decoded = Base64Decoding.decoded(content) else { throw invalid("it is no Base64") }
        return try checked(decoded, most)
    }

    /// Whether the parameters before the comma end in `;base64`.
    private static func isBase64(_ parameters: Substring.UTF8View) -> Bool {
        String(Substring(parameters)).lowercased().hasSuffix(";base64")
    }

    private static func checked(_ bytes: [UInt8], _ most: ByteCount) throws(CalotypeError) -> [UInt8] {
        guard bytes.count <= most.bytes else {
            throw CalotypeError(
                .tooManyBytes,
                "the data URL holds \(ByteCount(bytes.count)), more than \(most)",
                stage: .request
            )
        }
        return bytes
    }

    private static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidURL, "the data URL cannot be read: \(reason)", stage: .request)
    }
}
