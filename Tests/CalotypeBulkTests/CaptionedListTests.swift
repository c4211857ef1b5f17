import Testing

@testable import CalotypeBulk

/// Lists in memory, which may be tables with captions.
@Suite(.timeLimit(.minutes(1)))
struct CaptionedListTests {
    private static let a = "http://h.test/a.jpg"
    private static let b = "http://h.test/b.jpg"

    private static func read(_ text: String, limit: Int = 100) -> [String] {
        ListItem.entries(of: text, limit: limit).map { item in
            [item.url, item.caption, item.invalidReason?.message].compactMap(\.self).filter { !$0.isEmpty }
                .joined(separator: " | ")
        }
    }

    @Test(arguments: [
        "url,caption\n\(a),A boat\n\(b),\"Hills, \"\"green\"\"\"\n",
        "\u{FEFF}Caption,URL\r\nA boat,\(a)\r\n\"Hills, \"\"green\"\"\", \(b) \r\n",
        "id\turl\ttitle\n1\t\(a)\tA boat\n2\t\(b)\tHills, \"green\"\n",
        "id,image,text\n1,\(a),A boat\n2,\(b),\"Hills, \"\"green\"\"\"",
        "\(a),A boat\n\(b),\"Hills, \"\"green\"\"\"\n",
        "\"A boat\",\(a)\n\"Hills, \"\"green\"\"\",\"\(b)\"\n",
        "\(a)\tA boat\t1\n\(b)\tHills, \"green\"\t2\n",
        "{\"url\": \"\(a)\", \"alt\": \"A boat\"}\n\n{\"alt\": \"Hills, \\\"green\\\"\", \"url\": \"\(b)\"}\n",
        "{\"id\": 1, \"image\": \"\(a)\", \"title\": \"A boat\"}\n{\"image\": \"\(b)\", \"text\": \"Hills, \\\"green\\\"\"}",
    ])
    func `a table has captions, and its URLs are in the column url or the first that has some`(_ text: String)
    {
        #expect(Self.read(text) == ["\(Self.a) | A boat", "\(Self.b) | Hills, \"green\""])
    }

    @Test(arguments: [
        "\(a)\n\(b)", "\(a),b\n\(b)", "http://h.test/w_300,h_200/a.jpg\n\(a)", "# url,caption\n\(a)",
        "no-url\nurl,caption", "one,two\n\(a)", "",
    ])
    func `what is no table has one URL per line`(_ text: String) {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        #expect(Self.read(text) == lines)
    }

    @Test func `the first column with a text is the caption`() {
        let text = "url,title,alt\n\(Self.a),Title,Alt\n\(Self.a),Title, \n\(Self.a),,\n"
        #expect(Self.read(text) == ["\(Self.a) | Alt", "\(Self.a) | Title", Self.a])
    }

    @Test(arguments: [
        ("url,alt\n\(a),A\n,B\n\(b),C", ["\(a) | A", "line 3 has no URL", "\(b) | C"]),
        (
            "url,alt\n\(a),A,B\n\(b),C",
            ["line 2 has 3 columns, but the header has 2", "\(b) | C"]
        ),
        (
            "\(a),A boat\n\(b)\n\(b),Hills",
            ["\(a) | A boat", "line 2 has 1 column, but the first row has 2", "\(b) | Hills"]
        ),
        (
            "{\"url\": \"\(a)\"}\n{\"url\": \n{\"alt\": \"B\"}\n{\"url\": \"\(b)\"}",
            [a, "line 2: a value is missing", "line 3 has no URL", b]
        ),
        ("url,alt\n\(a),\"A\n\n\(b),C", ["line 2: a quoted value has no end", "\(b) | C"]),
        (
            "url,alt\n\(a),\"A\n\(b),\"B\"\n\(a),C",
            ["line 2: a closing quote is missing", "\(b) | B", "\(a) | C"]
        ),
    ])
    func `a broken row is reported with its line, and the others are read`(
        _ text: String,
        _ entries: [String]
    ) {
        #expect(Self.read(text) == entries)
    }

    @Test func `a caption may have several lines, and text after its closing quote in the same line`() {
        let text = "url,alt\n\(Self.a),\"two\nlines\"\n\(Self.b),\"a\"b\n\(Self.a),\n"
        #expect(Self.read(text) == ["\(Self.a) | two\nlines", "\(Self.b) | ab", Self.a])
    }

    @Test func `entries, captions, rows and missing quotes have limits`() {
        let rows = (0..<50).map { "\(Self.a)?\($0),x\n" }.joined()
        #expect(Self.read("url,alt\n" + rows, limit: 10).count == 10)
        let long = ListItem.entries(
            of: "url,alt\n\(Self.a),  \(String(repeating: "é", count: 1001))",
            limit: 1
        )
        #expect(long.first?.caption == String(repeating: "é", count: 1000) + "…")
        let url = "url,alt\nhttp://\(String(repeating: "a", count: 64 << 10)),x\n\(Self.b),y"
        #expect(Self.read(url) == ["line 2: the URL is longer than 64 KiB", "\(Self.b) | y"])
        let row = "url,alt\n\(Self.a),\(String(repeating: "a", count: 1 << 20))\n\(Self.b),y"
        #expect(
            Self.read(row) == [
                "line 2: the row is longer than 1 MiB; is a closing quote missing?", "\(Self.b) | y",
            ]
        )
        let quotes = "url,alt\n" + String(repeating: "\(Self.a),\"x\n", count: 200)
        let broken = Self.read(quotes, limit: 1000)
        #expect(broken.last?.contains("the rest was not read") == true && broken.count == 101)
    }
}
