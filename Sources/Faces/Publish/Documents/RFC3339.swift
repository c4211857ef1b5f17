internal import CalotypeHTTP

/// Times in JSON documents, such as `2026-05-01T09:00:00+02:00` (RFC 3339, section 5.6).
package enum RFC3339 {
    /// Returns the whole seconds since 1970 for a time.
    ///
    /// The result is `nil` if the text is not a valid time, or has no offset from UTC.
    package static func seconds(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 64, punctuates(bytes),
            let year = number(bytes[0..<4], 1970...9999), let month = number(bytes[5..<7], 1...12),
            let day = number(bytes[8..<10], 1...31), let hour = number(bytes[11..<13], 0...23),
            let minute = number(bytes[14..<16], 0...59), let second = number(bytes[17..<19], 0...60),
            let offset = offset(bytes[19...])
        else { return nil }
        let days = HTTPDate.daysSince1970(year: year, month: month, day: day)
        let isLast = month == 12
        let next = HTTPDate.daysSince1970(
            year: isLast ? year + 1 : year,
            month: isLast ? 1 : month + 1,
            day: 1
        )
        guard days < next else { return nil }
        return ((days * 24 + hour) * 60 + minute) * 60 + second - offset
    }

    private static func punctuates(_ bytes: [UInt8]) -> Bool {
        bytes[4] == UInt8(ascii: "-") && bytes[7] == UInt8(ascii: "-") && "Tt ".utf8.contains(bytes[10])
            && bytes[13] == UInt8(ascii: ":") && bytes[16] == UInt8(ascii: ":")
    }

    /// Returns the offset in seconds that follows any fraction of a second.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        var bytes = bytes
        if bytes.first == UInt8(ascii: ".") {
            let digits = bytes.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            bytes = bytes.dropFirst(digits.count + 1)
        }
        let start = bytes.startIndex
        if bytes.count == 1, "Zz".utf8.contains(bytes[start]) { return 0 }
        guard bytes.count == 6, "+-".utf8.contains(bytes[start]), bytes[start + 3] == UInt8(ascii: ":"),
            let hours = number(bytes[start + 1..<start + 3], 0...23),
            let minutes = number(bytes[start + 4..<start + 6], 0...59)
        else { return nil }
        return (bytes[start] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes) * 60
    }

    private static func number(_ digits: ArraySlice<UInt8>, _ range: ClosedRange<Int>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return range.contains(number) ? number : nil
    }
}
