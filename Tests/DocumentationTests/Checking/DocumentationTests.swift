import Testing

/// Every block of Swift in the documentation is compiled here, and most are run.
///
/// A block that is new or changed goes into a function of this test target, between `// snippet: NAME` and `// end`.
@Suite struct DocumentationTests {
    private let repository = Repository()

    @Test func `every Swift block of the documentation compiles`() throws {
        let snippets = try repository.snippets()
        for page in try repository.pages() {
            for block in CodeBlock.all(in: page.text, named: page.name) {
                #expect(
                    snippets.contains { $0.covers(block) },
                    "\(block.place) is in no snippet of these tests"
                )
            }
        }
    }

    @Test func `every snippet is quoted, under a unique name`() throws {
        let snippets = try repository.snippets()
        let blocks = try repository.pages().flatMap { CodeBlock.all(in: $0.text, named: $0.name) }
        for snippet in snippets {
            #expect(blocks.contains { snippet.covers($0) }, "no page quotes \(snippet.name)")
        }
        #expect(Set(snippets.map(\.name)).count == snippets.count)
    }

    @Test func `a block is found in a snippet whatever its indentation and line breaks`() throws {
        let file =
            "import TaskFlow\n  // snippet: One\n    let a = f(\n        1\n    )\n    let b = 2\n  // end\n"
        let snippet = try #require(Snippet.all(in: file).first)
        #expect(snippet.name == "One")
        func isCovered(_ code: String) throws -> Bool {
            let page = "text\n```swift\n\(code)\n```\n```\nnot this\n```\n"
            let blocks = CodeBlock.all(in: page, named: "Page.md")
            #expect(blocks.map(\.place) == ["Page.md:2"])
            return snippet.covers(blocks[0])
        }
        #expect(try isCovered("import TaskFlow\n\nlet a = f( 1\n)"))
        #expect(try isCovered("let b   = 2"))
        #expect(try !isCovered("let b = 3"))
        #expect(try !isCovered("et b = 2"))
        #expect(try !isCovered("import Calotype\nlet b = 2"))
        #expect(try !isCovered(""))
    }
}
