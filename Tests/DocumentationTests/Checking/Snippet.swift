/// A marked part of a compiled Swift file, which pages may quote whole or in parts.
struct Snippet {
    let name: String
    let code: CodeText
    /// What the file imports.
    let imports: Set<String>

    /// The parts of a Swift file between `// snippet: NAME` and `// end`.
    static func all(in file: String) -> [Snippet] {
        let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
        let imports = Set(CodeText(lines: lines).imports)
        var snippets: [Snippet] = []
        var open: (name: String, lines: [Substring])?
        for line in lines {
            let mark = line.drop(while: \.isWhitespace)
            if mark.hasPrefix("// snippet: ") {
                open = (String(mark.dropFirst("// snippet: ".count)), [])
            } else if mark == "// end", let snippet = open {
                let code = CodeText(lines: snippet.lines)
                snippets.append(Snippet(name: snippet.name, code: code, imports: imports))
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        return snippets
    }

    /// Whether the block compiles because this snippet does.
    func covers(_ block: CodeBlock) -> Bool {
        code.contains(block.code) && imports.isSuperset(of: block.code.imports)
    }
}
