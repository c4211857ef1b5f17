/// The value of a `Content-Range` field in bytes (RFC 9110, section 14.4).
package struct ContentRange: Hashable, Sendable {
    /// The positions of the first and the last byte that came; `nil` in a 416, which has none.
    package let positions: ClosedRange<Int>?
    /// The length of the whole in bytes; `nil` if the origin does not know it.
    package let total: Int?

    /// Reads `bytes 0-499/1234`, `bytes 0-499/*` and `bytes */1234`; `nil` for all else, also where the numbers
    /// contradict each other.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total = Self.number(parts[1])
        guard total != nil || parts[1] == "*" else { return nil }
        let positions = Self.positions(parts[0])
        guard positions != nil || parts[0] == "*" && total != nil else { return nil }
        if let positions, let total, positions.upperBound >= total { return nil }
        self.positions = positions
        self.total = total
    }

    private static func positions(_ text: Substring) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last else {
            return nil
        }
        return first...last
    }

    /// At most 18 digits, which no arithmetic overflows with.
    private static func number(_ text: Substring) -> Int? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(text)
    }
}
