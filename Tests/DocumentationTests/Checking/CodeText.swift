/// Code as the comparison sees it: without imports, and with all white space reduced to single spaces.
struct CodeText: Hashable {
    let text: String
    /// The modules that the code imports.
    let imports: [String]

    init(lines: [Substring]) {
        let trimmed = lines.map { $0.split(whereSeparator: \.isWhitespace) }
        imports = trimmed.filter { $0.first == "import" }.map { $0.dropFirst().joined(separator: " ") }
        text = trimmed.filter { $0.first != "import" }.joined().joined(separator: " ")
    }

    /// Whether the other code is part of this one, from one word boundary to another.
    func contains(_ other: CodeText) -> Bool {
        !other.text.isEmpty && " \(text) ".contains(" \(other.text) ")
    }
}
