/// User names and passwords in URLs, which only the origin may receive.
///
/// All text that is shown or written passes here.
package enum URLCredentials {
    /// A byte of a text, whether written as an escape or not, and the range of its characters.
    private struct Symbol {
        let byte: UInt8
        let place: Range<Int>
    }

    /// Returns `url` without its user name and password.
    ///
    /// It is for text that a person wrote, which may not be a URL. If the host is invalid, it removes
    /// everything up to the last `@`: people write slashes and blanks in passwords. URLs inside the URL,
    /// escaped or not, lose theirs too.
    package static func removed(from url: String) -> String {
        guard mayHave(url) else { return url }
        return removing(url, from: symbols(url), begins: true) { _ in false }
    }

    /// Returns `text`, such as a message or a target, without the user names and passwords of its URLs.
    ///
    /// A URL ends at a blank.
    package static func removed(in text: String) -> String {
        guard mayHave(text) else { return text }
        return removing(text, from: symbols(text), begins: false) { $0 <= 0x20 }
    }

    /// Whether there may be something to remove.
    ///
    /// Usually there is nothing.
    private static func mayHave(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "@")) || text.utf8.contains(UInt8(ascii: "%")) && text.contains("40")
    }

    private static func removing(
        _ text: String,
        from symbols: [Symbol],
        begins: Bool,
        isEnd: (UInt8) -> Bool
    ) -> String {
        var cuts: [Range<Int>] = []
        var next = begins ? firstAuthority(symbols) : authority(in: symbols, after: 0)
        while let start = next {
            let whole = symbols[start...].prefix { !isEnd($0.byte) }
            // An escaped slash is part of the password, unless the slashes before the authority are escaped
            // too.
            let depth = start == 0 ? 1 : symbols[start - 1].place.count
            let cut = credentials(whole, depth, needsColon: begins && start == 0)
            if let cut { cuts.append(symbols[start].place.lowerBound..<symbols[cut].place.upperBound) }
            next = authority(in: symbols, after: cut.map { $0 + 1 } ?? start)
        }
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        var done = 0
        for cut in cuts {
            kept += bytes[done..<cut.lowerBound]
            done = cut.upperBound
        }
        return String(decoding: kept + bytes[done...], as: UTF8.self)
    }

    /// Where the authority begins if the text is a URL: after its scheme and slashes, if it has them.
    private static func firstAuthority(_ symbols: [Symbol]) -> Int? {
        if symbols.first?.byte == UInt8(ascii: "/") { return skipSlashes(symbols, 0) }
        let scheme = symbols.prefix { $0.byte != UInt8(ascii: ":") && $0.byte != UInt8(ascii: "/") }
        let colon = scheme.endIndex
        guard !scheme.isEmpty, colon + 1 < symbols.count, symbols[colon].byte == UInt8(ascii: ":"),
            symbols[colon + 1].byte == UInt8(ascii: "/")
        else { return symbols.isEmpty ? nil : 0 }
        return skipSlashes(symbols, colon + 1)
    }

    /// Where the next authority begins: after a colon and slashes, of which proxies leave only one.
    private static func authority(in symbols: [Symbol], after start: Int) -> Int? {
        var index = start
        while index + 2 < symbols.count {
            if symbols[index].byte == UInt8(ascii: ":"), symbols[index + 1].byte == UInt8(ascii: "/") {
                return skipSlashes(symbols, index + 1)
            }
            index += 1
        }
        return nil
    }

    private static func skipSlashes(_ symbols: [Symbol], _ start: Int) -> Int? {
        symbols[start...].firstIndex { $0.byte != UInt8(ascii: "/") }
    }

    /// The index of the `@` that ends the credentials at the start of `rest`; `nil` if there are none.
    private static func credentials(_ rest: ArraySlice<Symbol>, _ depth: Int, needsColon: Bool) -> Int? {
        let authority = rest.prefix { !"/?#".utf8.contains($0.byte) || $0.place.count > depth }
        let isAt = { (symbol: Symbol) in symbol.byte == UInt8(ascii: "@") }
        let end = authority.lastIndex(where: isAt) ?? (isHost(authority) ? nil : rest.lastIndex(where: isAt))
        guard let end, needsColon else { return end }
        // A name such as photo@2x.png is not a URL, and has no password.
        return rest[..<end].contains { $0.byte == UInt8(ascii: ":") } ? end : nil
    }

    /// Whether `authority` can be a host, with a port or without.
    private static func isHost(_ authority: ArraySlice<Symbol>) -> Bool {
        let bracket = authority.lastIndex { $0.byte == UInt8(ascii: "]") }
        let rest = authority[(bracket ?? authority.startIndex)...]
        guard let colon = rest.firstIndex(where: { $0.byte == UInt8(ascii: ":") }) else { return true }
        return rest[(colon + 1)...].allSatisfy { (0x30...0x39).contains($0.byte) }
    }

    /// The bytes of `text` with escapes decoded, even if the percent sign itself is escaped.
    private static func symbols(_ text: String) -> [Symbol] {
        let bytes = Array(text.utf8)
        var symbols: [Symbol] = []
        symbols.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let (byte, length) = symbol(bytes[index...])
            symbols.append(Symbol(byte: byte, place: index..<index + length))
            index += length
        }
        return symbols
    }

    private static func symbol(_ bytes: ArraySlice<UInt8>) -> (byte: UInt8, length: Int) {
        let start = bytes.startIndex
        guard bytes[start] == UInt8(ascii: "%") else { return (bytes[start], 1) }
        var digits = start + 1
        while bytes[digits...].starts(with: "25".utf8) { digits += 2 }
        guard digits + 2 <= bytes.endIndex,
            let byte = UInt8(String(decoding: bytes[digits..<digits + 2], as: UTF8.self), radix: 16)
        else { return (bytes[start], 1) }
        return (byte, digits + 2 - start)
    }
}
