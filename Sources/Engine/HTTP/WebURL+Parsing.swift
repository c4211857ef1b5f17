import CalotypeCore

extension WebURL {
    /// The most bytes of a URL's text.
    static let maximumBytes = 32 << 10

    static func parse(_ text: String) throws(CalotypeError) -> WebURL {
        guard text.utf8.count <= maximumBytes else {
            throw invalid("it is longer than \(maximumBytes) bytes")
        }
        try refuseControlCharacters(text)
        guard let scheme = explicitScheme(of: text) else {
            throw invalid("it does not begin with http:// or https://")
        }
        try requireHTTP(scheme)
        // libcurl takes the first part of the path for the host then (RFC 3986, section 3.2: it is empty).
        guard !text.dropFirst(scheme.count).hasPrefix(":///") else { throw invalid("it has no host") }
        return try normalise(encodingBlanks(text))
    }

    /// Parses until the host no longer changes: a host such as `１２７.1` or `127.0.0.1.` is an address only afterwards.
    private static func normalise(_ text: String) throws(CalotypeError) -> WebURL {
        var url = try ParsedURL(text)
        let authorization = url.authorization()
        var parts = try url.parts()
        for _ in 0..<3 where parts.text != text {
            let before = parts.host
            url = try ParsedURL(parts.text)
            parts = try url.parts()
            if parts.host == before { break }
        }
        if blockedPorts.contains(parts.port) {
            throw CalotypeError(
                .blockedPort,
                "port \(parts.port) belongs to another protocol and is never connected to",
                stage: .request
            )
        }
        let origin = Origin(scheme: parts.scheme, host: parts.host, port: parts.port)
        return WebURL(origin: origin, text: parts.text, authorization: authorization)
    }

    static func refuseControlCharacters(_ text: String) throws(CalotypeError) {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw invalid("it has a control character or line break")
        }
    }

    /// The scheme that the text names, if it names one: `localhost:80` does not.
    static func explicitScheme(of text: String) -> Substring? {
        guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first, first.isASCIILetter else {
            return nil
        }
        let scheme = text[..<colon]
        let isName = scheme.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
        let next = text[text.index(after: colon)...].utf8.first
        return isName && next.map(\.isASCIIDigit) != true ? scheme : nil
    }

    static func requireHTTP(_ scheme: Substring) throws(CalotypeError) {
        guard Scheme(rawValue: scheme.lowercased()) == nil else { return }
        throw CalotypeError(
            .unsupportedScheme,
            "the scheme \(scheme) is not supported; only http and https are",
            stage: .request
        )
    }

    /// libcurl would write blanks of a query as `+`, which only forms understand.
    static func encodingBlanks(_ text: String) -> String {
        guard text.utf8.contains(0x20) else { return text }
        return text.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
    }

    /// The text of what may not be a URL, fit for a message: nothing that may be a password, and not endless.
    static func withoutCredentials(_ text: String) -> String {
        let shown = URLCredentials.removed(from: text)
        return shown.count > 512 ? shown.prefix(512) + "..." : shown
    }

    static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidURL, "this is no URL that can be loaded: \(reason)", stage: .request)
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    var isASCIILetter: Bool { (0x41...0x5A).contains(self & 0xDF) }
    /// The lower-case form of an ASCII capital letter, every other byte as it is.
    var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
