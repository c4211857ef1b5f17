/// The one range of bytes that a request asks for (RFC 9110, section 14).
enum ByteRange: Hashable {
    /// From the first to the last position, both counted from 0; without a last one to the end.
    case positions(first: Int, last: Int?)
    /// That many bytes at the end.
    case suffix(Int)

    /// Reads the value of a `Range` field; `nil` where it is not one range of bytes, and the field is passed over.
    ///
    /// Several ranges are passed over too, as the RFC allows (section 14.2): their answers are larger than the whole, and
    /// have been used to bring servers down.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = Self.trimmed(parts[1]).split(separator: "-", omittingEmptySubsequences: false)
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

    /// The part of `count` bytes that is meant; `nil` where there is none.
    func resolved(in count: Int) -> Range<Int>? {
        switch self {
        case .suffix(let length):
            return length > 0 && count > 0 ? max(0, count - length)..<count : nil
        case .positions(let first, let last):
            guard first < count else { return nil }
            return first..<min(count, last.map { $0 + 1 } ?? count)
        }
    }

    /// A number of any length: what is more than any body has is as good as the largest.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).map { min($0, largest) } ?? largest
    }

    private static let largest = 1 << 60

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
