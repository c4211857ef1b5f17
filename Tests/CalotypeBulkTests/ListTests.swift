import CalotypeCore
import CalotypePlatform
import TaskFlow
import Testing

@testable import CalotypeBulk

@Suite(.timeLimit(.minutes(1)))
struct ListTests {
    @Test(arguments: [
        ("a\nb\n", ["a", "b"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("\u{FEFF}a\nb", ["a", "b"]),
        ("\n \n# no\n  # no\na#yes\n\t\r\nb", ["a#yes", "b"]), ("  a b \t\n", ["a b"]),
        ("http://x/a,b\"c'.jpg\n\"q\"", ["http://x/a,b\"c'.jpg", "\"q\""]), ("ü\n", ["ü"]),
        ("\u{0B}a\u{0C}\n", ["a"]), ("a\u{0}b\n", ["a\u{0}b"]),
    ])
    func `a list is read by its rules`(_ text: String, _ urls: [String]) async throws {
        let folder = try Folder()
        let file = try folder.write(Array(text.utf8), to: "list")
        let items = try await Self.items(.file(path: file))
        #expect(items.map(\.url) == urls)
        #expect(items.map(\.index) == Array(0..<urls.count))
        #expect(await ListCount.count(.file(path: file)) == urls.count)
    }

    @Test func `bytes that are no UTF-8 are percent-encoded`() async throws {
        let folder = try Folder()
        let file = try folder.write([0x61, 0xE9, 0x0A], to: "list")
        #expect(try await Self.items(.file(path: file)).map(\.url) == ["a%E9"])
    }

    @Test func `a line without end is one bad entry, and reading continues`() async throws {
        let folder = try Folder()
        let long = Array(repeating: UInt8(ascii: "x"), count: 300_000)
        let file = try folder.write(Array("a\n".utf8) + long + Array("\nb\n#".utf8) + long, to: "list")
        let items = try await Self.items(.file(path: file))
        #expect(items.map(\.index) == [0, 1, 2])
        #expect(items.map { $0.invalidReason?.code } == [nil, .invalidURL, nil])
        #expect(items[1].url.count == 200)
    }

    @Test(arguments: ["", "\n\n# nothing\n", "\u{FEFF}"])
    func `an empty list is known before anything else`(_ text: String) async throws {
        let folder = try Folder()
        let file = try folder.write(Array(text.utf8), to: "list")
        await #expect(throws: BulkError("the list is empty")) {
            try await Self.items(.file(path: file))
        }
    }

    @Test func `a list that cannot be read is known before anything else`() async throws {
        let folder = try Folder()
        let utf16 = try folder.write([0xFF, 0xFE, 0x61, 0], to: "list")
        for path in [folder.path, folder.path + "/none", utf16] {
            await #expect(throws: BulkError.self) { try await Self.items(.file(path: path)) }
        }
    }

    @Test func `waiting for a pipe that never ends can be cancelled`() async throws {
        let folder = try Folder()
        let pipe = folder.path + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        // Read and write, so that neither side waits for the other and the pipe never ends.
        let writer = unsafe open(pipe, O_RDWR)
        defer { close(writer) }
        #expect(unsafe write(writer, "a\n", 2) == 2)
        try await withThreadExecutor(name: "test", threads: 1) { executor in
            let reader = try URLListReader(.file(path: pipe), executor: executor)
            #expect(try await reader.next()?.url == "a")
            await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await reader.next() }
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test func `a named pipe is a list as soon as it has a writer`() async throws {
        let folder = try Folder()
        let pipe = folder.path + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        try await withThreadExecutor(name: "test", threads: 1) { executor in
            let reader = try URLListReader(.file(path: pipe), executor: executor)
            let writer = unsafe open(pipe, O_WRONLY)
            #expect(unsafe write(writer, "a\nb", 3) == 3)
            close(writer)
            #expect(
                try await [reader.next()?.url, reader.next()?.url, reader.next()?.url] == ["a", "b", nil]
            )
        }
    }

    @Test func `lists and URLs follow each other in their order`() async throws {
        let folder = try Folder()
        let one = try folder.write(Array("\u{FEFF}a\nb".utf8), to: "one")
        let two = try folder.write(Array("\u{FEFF}# two\nc\n".utf8), to: "two")
        let source = try ListSource(operands: [one, "http://x/1", "http://x/2", two, "http://x/3"])
        let items = try await Self.items(source)
        #expect(items.map(\.url) == ["a", "b", "http://x/1", "http://x/2", "c", "http://x/3"])
        #expect(items.map(\.index) == Array(0..<6))
        #expect(await ListCount.count(source) == 6)
        await #expect(throws: BulkError.self) {
            try await Self.items(ListSource(operands: ["http://x/1", folder.path + "/none"]))
        }
    }

    @Test func `operands are lists or URLs`() throws {
        #expect(try ListSource(operands: ["-"]) == .standardInput)
        #expect(try ListSource(operands: ["list.txt"]) == .file(path: "list.txt"))
        #expect(
            try ListSource(operands: ["http://a", "b"]) == .several([.urls(["http://a"]), .file(path: "b")])
        )
        #expect(try ListSource(operands: ["http://a", "http://b"]) == .urls(["http://a", "http://b"]))
        #expect(throws: BulkError.self) { try ListSource(operands: ["-", "b.txt", "-"]) }
        #expect(throws: BulkError.self) { try ListSource(operands: []) }
    }

    private static func items(_ source: ListSource) async throws -> [ListItem] {
        try await withThreadExecutor(name: "test", threads: 1) { executor in
            let reader = try URLListReader(source, executor: executor)
            try await reader.checkFirst()
            var items: [ListItem] = []
            for try await item in reader { items.append(item) }
            return items
        }
    }
}
