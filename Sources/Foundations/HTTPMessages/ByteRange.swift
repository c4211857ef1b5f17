/// The single byte range that a `Range` field requests (RFC 9110, section 14).
package enum ByteRange: Hashable, Sendable {
    /// From the first to the last position, both counted from 0; to the end if there is no last one.
    case positions(first: Int, last: Int?)
    /// As many bytes at the end.
    case suffix(Int)

    /// Parses the value of a `Range` field.
    ///
    /// Returns `nil` if it is not a single byte range.
    ///
    /// The field is then ignored. Several ranges are ignored too, as the RFC allows (section 14.2): their
    /// responses are larger than the whole body, and have been used to attack servers.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].trimmingBlanks().split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = Self.number(ends[1]) else { return nil }
            self = .suffix(count)
            return
        }
        guard let first = Self.number(ends[0]) else { return nil }
        if ends[1].isEmpty {
            self = .positions(first: first, last: nil)
        } else {
            guard let last = Self.number(ends[1]), first <= last else { return nil }
            self = .positions(first: first, last: last)
        }
    }

    /// The range within `count` bytes; `nil` if they have no such part.
    package func resolved(in count: Int) -> Range<Int>? {
        switch self {
        case .suffix(let length):
            return length > 0 && count > 0 ? max(0, count - length)..<count : nil
        case .positions(let first, let last):
            guard first < count else { return nil }
            return first..<min(count, last.map { $0 + 1 } ?? count)
        }
    }

    /// A number of any length.
    ///
    /// Numbers above the largest possible body are clamped.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(text).map { min($0, largest) } ?? largest
    }

    private static let largest = 1 << 60
}

/// The value of a `Content-Range` field in bytes (RFC 9110, section 14.4).
package struct ContentRange: Hashable, Sendable {
    /// The positions of the first and the last byte in the response; `nil` in a 416, which has none.
    package let positions: ClosedRange<Int>?
    /// The length of the whole in bytes; `nil` if the origin does not know it.
    package let total: Int?

    /// Creates the range of the bytes at `positions`; without them, that of a 416.
    package init(_ positions: Range<Int>?, of total: Int) {
        self.positions = positions.map { $0.lowerBound...$0.upperBound - 1 }
        self.total = total
    }

    /// The value as it is sent.
    package var text: String {
        let range = positions.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
        return "bytes \(range)/\(total.map { "\($0)" } ?? "*")"
    }

    /// Parses `bytes 0-499/1234`, `bytes 0-499/*` and `bytes */1234`.
    ///
    /// Returns `nil` for any other text, and if the numbers contradict each other.
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

    /// At most 18 digits, so that no arithmetic overflows.
    private static func number(_ text: Substring) -> Int? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(text)
    }
}
