import CalotypeCommandLineKit

/// A line of text that someone types.
struct EditLine: Hashable, Sendable {
    /// The most characters it takes; more are ignored.
    static let limit = 200

    private(set) var text = ""

    /// Whether the key changed it.
    mutating func press(_ key: KeyPress) -> Bool {
        let before = text
        switch key {
        case .character(let character): if text.count < Self.limit { text.append(character) }
        case .backspace, .delete: _ = text.popLast()
        case .control("u"): text = ""
        case .control("w"): removeWord()
        default: break
        }
        return text != before
    }

    /// What fits into `columns` of the end, where the typing is.
    func end(columns: Int) -> String {
        var room = columns
        let reversed = text.reversed().prefix { character in
            room -= TextWidth.columns(of: String(character))
            return room >= 0
        }
        return String(reversed.reversed())
    }

    private mutating func removeWord() {
        while text.last?.isWhitespace == true { text.removeLast() }
        while let last = text.last, !last.isWhitespace { text.removeLast() }
    }
}
