import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow
import Testing

@testable import CalotypeBulk

@Suite(.timeLimit(.minutes(1)))
struct TableReaderTests {
    private static let columns = ListColumns(kept: ["id", "caption"])

    @Test(arguments: [
        "url,id,caption\nhttp://a/1,1,x\n", "\u{FEFF}id,url,caption\r\n1,http://a/1,x\r\n",
        "url\tid\tcaption\nhttp://a/1\t1\tx", "\"url\",\"id\",\"caption\"\n\"http://a/1\",\"1\",\"x\"\n",
        "\n\nurl,id,caption,more\n\nhttp://a/1,1,x,\"a\nb\"\n",
    ])
    func `a table is read by its header`(_ text: String) async throws {
        let items = try await Self.items(text)
        #expect(items.map(\.url) == ["http://a/1"])
        #expect(items.map(\.fields) == [[.text("1"), .text("x")]])
    }

    @Test(arguments: [
        #"{"url":"http://a/1","id":1,"caption":"x"}"#, #"[{"url": "http://a/1", "id" : 1, "caption":"x"}]"#,
        #"[ {"more":[{"url":"no"}],"url":"http:\/\/a\/1","id":1,"caption":"\u0078"} ,]"#,
    ])
    func `objects are read by their names`(_ text: String) async throws {
        let items = try await Self.items(text)
        #expect(items.map(\.url) == ["http://a/1"])
        #expect(items.map(\.fields) == [[.json("1"), .text("x")]])
    }

    @Test func `commas, quotes and line ends belong to a quoted value`() async throws {
        let items = try await Self.items("url,id,caption\n\"http://a/1,2\",1,\"say \"\"hi\"\",\r\nand go\"\n")
        #expect(items.map(\.url) == ["http://a/1,2"])
        #expect(items[0].fields[1] == .text("say \"hi\",\r\nand go"))
    }

    @Test(arguments: [
        ("url,id,caption\nhttp://a/1,1\nhttp://a/2,2,y\n", "line 2 has 2 columns, but the header has 3"),
        ("url,id,caption\n,1,x\nhttp://a/2,2,y\n", "line 2 has no URL"),
        ("{\"url\":1e}\n{\"url\":\"http://a/2\"}\n", "line 1: '1e' is no JSON value"),
        ("{\"url\":\"x\"\n{\"url\":\"http://a/2\"}\n", "line 1: the object has no end"),
    ])
    func `a bad line is an entry with its number, and reading continues`(
        _ text: String,
        _ message: String
    ) async throws {
        let items = try await Self.items(text)
        #expect(items.map { $0.invalidReason?.message } == [message, nil])
        #expect(items[1].url == "http://a/2")
    }

    @Test(arguments: [
        ("hello\nworld\n", nil, "is no URL: 'hello'"),
        ("link,text\nhttp://a/1,x\n", nil, "is no URL: 'link,text'"),
        ("PAR1....", nil, "is a Parquet file"), ("http://a/1\na\u{0}b", nil, "is binary"),
        ("a\u{1}://b", nil, "is binary"), ("h\u{0}t\u{0}t\u{0}p\u{0}:\u{0}/\u{0}", nil, "is UTF-16"),
        ("\u{0}h\u{0}t\u{0}t\u{0}p\u{0}:\u{0}/", nil, "is UTF-16"),
        (" <html>http://a/1</html>", nil, "is HTML or XML"), ("BZh91AY&SY", nil, "is compressed with bzip2"),
        ("PK\u{3}\u{4}", .txt, "is compressed with zip"),
        ("{\"url\":\"http://a/1\"}", ListFormat.csv, "is jsonl, not csv"),
        ("[]", ListFormat.txt, "is json, not txt"), ("", nil, "the list is empty"),
        ("url,id,caption\n\"http://a/1", nil, "line 2: a quoted value has no end"),
    ])
    func `what is no list is refused with one line`(
        _ text: String,
        _ format: ListFormat?,
        _ message: String
    ) async throws {
        await #expect {
            try await Self.items(text, format, ListColumns())
        } throws: {
            "\($0)".contains(message)
        }
    }

    @Test func `control characters in a caption are no reason to refuse the list`() async throws {
        let items = try await Self.items("url,id,caption\nhttp://a/1,1,x\u{1}\u{1F}y\n")
        #expect(items.map(\.fields) == [[.text("1"), .text("x\u{1}\u{1F}y")]])
    }

    @Test func `a column that is missing is named`() async throws {
        await #expect {
            try await Self.items("url,name\nhttp://a/1,x\n")
        } throws: {
            "\($0)".hasSuffix("has no column 'id'; its columns are url, name")
        }
    }

    @Test func `rows do not depend on how their bytes arrive`() throws {
        let text = Array("url,t\r\na,\"x\n\"\"y\"\"\"\r\n\r\nb,z".utf8)
        for cut in 0...text.count {
            var rows = DelimitedRows(separator: UInt8(ascii: ","))
            var found = try rows.split(Array(text[..<cut])) + rows.split(Array(text[cut...]))
            if let last = try rows.finish() { found.append(last) }
            #expect(found.map(\.cells) == [["url", "t"], ["a", "x\n\"y\""], ["b", "z"]])
            #expect(found.map(\.line) == [1, 2, 5])
        }
    }

    @Test func `URLs are found again, however many there are`() throws {
        let folder = try Folder()
        let file = try OpenFile(folder.path, O_RDONLY | O_DIRECTORY)
        var seen = SeenURLs(bits: 2) { try OpenFile.unnamed(in: file, temporary: "urls") }
        var known: Set<String> = []
        for number in 0..<3000 {
            let url = "http://a.test/\(number * number % 5003)"
            #expect(try seen.insert(url) == known.insert(url).inserted)
        }
        #expect(known.count > 1000)
    }

    @Test func `the number of entries is estimated by the bytes, and exact at the end`() async throws {
        let folder = try Folder()
        let line = String(repeating: "x", count: 85)
        let lists = try [30_000, 10_000].map { count in
            let text = (0..<count).map { "http://a/\(line)\($0 + 10_000)\n" }.joined()
            return try folder.write(Array(text.utf8), to: "list\(count)")
        }
        try await withThreadExecutor(name: "list", threads: 1) { executor in
            let reader = TableReader(lists, format: nil, ListColumns(), executor: executor)
            #expect(await reader.extent() == nil)
            for _ in 0..<35_000 { _ = try await reader.next() }
            let extent = try #require(await reader.extent())
            #expect(extent.isEstimated && abs(extent.count - 40_000) < 20)
            while try await reader.next() != nil {}
            #expect(await reader.extent() == ListExtent(count: 40_000, isEstimated: false))
        }
    }

    private static func items(
        _ text: String,
        _ format: ListFormat? = nil,
        _ columns: ListColumns = columns
    ) async throws -> [ListItem] {
        let folder = try Folder()
        let path = try folder.write(Array(text.utf8), to: "list")
        return try await withThreadExecutor(name: "list", threads: 1) { executor in
            let reader = TableReader([path], format: format, columns, executor: executor)
            try await reader.checkFirst()
            var items: [ListItem] = []
            while let item = try await reader.next() { items.append(item) }
            // What ends a list early is as good as an error here.
            if let last = items.last?.invalidReason, last.code == .fileNotReadable {
                throw BulkError(last.message)
            }
            return items
        }
    }
}
