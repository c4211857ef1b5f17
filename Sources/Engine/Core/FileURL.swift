/// URLs of files on this machine (RFC 8089).
enum FileURL {
    /// The path in what follows `file:`.
    ///
    /// - Throws: `invalid_url`.
    static func path(_ rest: Substring.UTF8View) throws(CalotypeError) -> String {
        let named = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let bytes = PercentEscapes.decoded(try localPath(named)), !bytes.contains(0),
            let path = String(validating: bytes, as: UTF8.self)
        else { throw invalid("its path is not properly encoded") }
        return path
    }

    /// What follows the host, which has to be this one.
    private static func localPath(
        _ named: Substring.UTF8View
    ) throws(CalotypeError) -> Substring.UTF8View {
        var path = named
        if named.starts(with: "//".utf8) {
            let authority = named.dropFirst(2)
            path = authority.drop { $0 != UInt8(ascii: "/") }
            let host = String(Substring(authority[..<path.startIndex])).lowercased()
            guard host.isEmpty || host == "localhost" else {
                throw invalid("it names a file of another machine")
            }
        }
        guard path.first == UInt8(ascii: "/") else { throw invalid("it has no absolute path") }
        return path
    }

    private static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidURL, "the file URL cannot be used: \(reason)", stage: .request)
    }
}
