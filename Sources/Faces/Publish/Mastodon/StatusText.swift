/// A text without what servers change in it: blanks, line breaks and punctuation marks.
struct StatusText: Hashable {
    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " "]

    private let source: String
    private let letters: String

    /// Takes a text as it was written.
    init(_ text: String) {
        source = text
        let kept = text.unicodeScalars.filter(Self.isKept)
        // A text of nothing else is told from others by what it has.
        let all = text.unicodeScalars.filter { !$0.properties.isWhitespace }
        letters = String(String.UnicodeScalarView(kept.isEmpty ? all : kept))
    }

    /// Takes a text as HTML.
    init(html: String) {
        self.init(Self.withoutEntities(Self.withoutTags(html)))
    }

    static func == (lhs: StatusText, rhs: StatusText) -> Bool { lhs.letters == rhs.letters }

    func hash(into hasher: inout Hasher) { hasher.combine(letters) }

    /// The text with `@ada` for `@ada@example.org`.
    var withoutHosts: StatusText {
        StatusText(
            source.split(whereSeparator: \.isWhitespace).map { word in
                let parts = word.split(separator: "@", omittingEmptySubsequences: false)
                return parts.count == 3 && parts[0].isEmpty ? "@\(parts[1])" : String(word)
            }.joined(separator: " ")
        )
    }

    /// ASCII's marks may be markup, and others' may be made prettier.
    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if properties.isAlphabetic || properties.numericType != nil { return true }
        guard !scalar.isASCII else { return false }
        switch properties.generalCategory {
        case .otherSymbol, .mathSymbol, .currencySymbol, .modifierSymbol: return true
        default: return false
        }
    }

    private static func withoutTags(_ html: String) -> String {
        var text = ""
        var rest = html[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            text += rest[..<start]
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }

    private static func withoutEntities(_ text: String) -> String {
        var pieces = text.split(separator: "&", omittingEmptySubsequences: false)[...]
        var plain = String(pieces.removeFirst())
        for piece in pieces {
            if let end = piece.firstIndex(of: ";"), let character = character(piece[..<end]) {
                plain += character + piece[piece.index(after: end)...]
            } else {
                plain += "&" + piece
            }
        }
        return plain
    }

    private static func character(_ entity: Substring) -> String? {
        guard entity.hasPrefix("#") else { return entities[String(entity)] }
        let digits = entity.dropFirst()
        let number =
            digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
