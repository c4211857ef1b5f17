/// User names and passwords in URLs, which go to the origin and nowhere else: whatever is shown or written passes here.
package enum URLCredentials {
    /// A byte of a text, also one that is written with an escape, and the place of what stands for it.
    private struct Symbol {
        let byte: UInt8
        let place: Range<Int>
    }

    /// `url` without its user name and password.
    ///
    /// It is for what a person wrote, which may be no URL. Where the host makes no sense, all up to the last `@` goes: people
    /// write slashes and blanks in passwords. URLs that stand in the URL, escaped or not, lose theirs too.
    package static func removed(from url: String) -> String {
        guard mayHave(url) else { return url }
        return removing(url, from: symbols(url), begins: true) { _ in false }
    }

    /// `text`, such as a message or a target, without the user names and passwords of the URLs in it; a URL ends at a blank.
    package static func removed(in text: String) -> String {
        guard mayHave(text) else { return text }
        return removing(text, from: symbols(text), begins: false) { $0 <= 0x20 }
    }

    /// Whether there can be something to remove: nearly always there is not.
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
            // An escaped slash is a part of the password, unless those before the authority are escaped too.
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

    /// Where the authority of the URL begins that the text is: behind its scheme and slashes, if it has such.
    private static func firstAuthority(_ symbols: [Symbol]) -> Int? {
        if symbols.first?.byte == UInt8(ascii: "/") { return skipSlashes(symbols, 0) }
        let scheme = symbols.prefix { $0.byte != UInt8(ascii: ":") && $0.byte != UInt8(ascii: "/") }
        let colon = scheme.endIndex
        guard !scheme.isEmpty, colon + 1 < symbols.count, symbols[colon].byte == UInt8(ascii: ":"),
            symbols[colon + 1].byte == UInt8(ascii: "/")
        else { return symbols.isEmpty ? nil : 0 }
        return skipSlashes(symbols, colon + 1)
    }

    /// Where the next authority begins: a colon and slashes, of which proxies leave one, stand before it.
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

    /// Where the `@` is that ends the credentials with which `rest` begins; `nil` if it begins with none.
    private static func credentials(_ rest: ArraySlice<Symbol>, _ depth: Int, needsColon: Bool) -> Int? {
        let authority = rest.prefix { !"/?#".utf8.contains($0.byte) || $0.place.count > depth }
        let isAt = { (symbol: Symbol) in symbol.byte == UInt8(ascii: "@") }
        let end = authority.lastIndex(where: isAt) ?? (isHost(authority) ? nil : rest.lastIndex(where: isAt))
        guard let end, needsColon else { return end }
        // A name such as photo@2x.png is no URL, and has no password.
        return rest[..<end].contains { $0.byte == UInt8(ascii: ":") } ? end : nil
    }

    /// Whether `authority` can be a host, with a port or without.
    private static func isHost(_ authority: ArraySlice<Symbol>) -> Bool {
        let bracket = authority.lastIndex { $0.byte == UInt8(ascii: "]") }
        let rest = authority[(bracket ?? authority.startIndex)...]
        guard let colon = rest.firstIndex(where: { $0.byte == UInt8(ascii: ":") }) else { return true }
        return rest[(colon + 1)...].allSatisfy { (0x30...0x39).contains($0.byte) }
    }

    /// The bytes of `text`, those behind escapes too, also where the percent sign itself is escaped.
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
