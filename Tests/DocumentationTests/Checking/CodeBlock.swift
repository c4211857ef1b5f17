/// A block of Swift code in a page of documentation.
struct CodeBlock {
    /// The page and the line of the fence, for messages.
    let place: String
    let code: CodeText

    /// The blocks of a Markdown page that begin with three backticks and `swift`.
    static func all(in page: String, named name: String) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: (line: Int, lines: [Substring])?
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let fence = line.drop(while: \.isWhitespace)
            if let block = open {
                if fence.hasPrefix("```") {
                    blocks.append(
                        CodeBlock(place: "\(name):\(block.line)", code: CodeText(lines: block.lines))
                    )
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if fence.hasPrefix("```swift") {
                open = (index + 1, [])
            }
        }
        return blocks
    }
}
