/// A text in which asterisks stand for any text.
struct Wildcard: Hashable, Sendable {
    private let texts: [[UInt8]]

    init(_ text: Substring) {
        self.init(Array(text.utf8))
    }

    init(_ bytes: [UInt8]) {
        texts = bytes.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Whether it is the empty text.
    var isEmpty: Bool { texts == [[]] }

    /// Whether `bytes` is such a text as a whole.
    func matches(_ bytes: [UInt8]) -> Bool {
        guard texts.count > 1 else { return bytes == texts[0] }
        let ends = texts[0].count + texts[texts.count - 1].count
        guard bytes.count >= ends, bytes.starts(with: texts[0]),
            bytes.suffix(texts[texts.count - 1].count).elementsEqual(texts[texts.count - 1])
        else { return false }
        // The first place for each text between is as good as any other.
        var rest = bytes.dropFirst(texts[0].count).dropLast(texts[texts.count - 1].count)
        for text in texts.dropFirst().dropLast() {
            guard let place = rest.firstRange(of: text) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }
}
