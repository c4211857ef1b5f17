import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow
import Testing

@testable import CalotypeServer

/// Files below a root, on the file system itself.
@Suite(.timeLimit(.minutes(1)))
struct LocalRootTests {
    /// Runs `body` with a folder that holds `root` and things beside it, by both ways of opening.
    private func withRoot(_ body: (LocalRoot, _ root: String) async throws -> Void) async throws {
        var template = Array("/tmp/calotype-root-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError("make a folder") }
        let base = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let (folders, files, links) = (
            ["", "/root", "/root/a", "/root2"], ["/secret", "/root/a/b.jpg", "/root/c d.jpg", "/root2/x"],
            [("/root/out", "../secret"), ("/root/up", ".."), ("/root/in", "a/b.jpg"), ("/root/abs", "/etc")]
        )
        for folder in folders { unsafe mkdir(base + folder, 0o700) }
        for file in files { try Self.write("<\(file)>", to: base + file) }
        for (path, target) in links { unsafe symlink(target, base + path) }
        unsafe mkfifo(base + "/root/pipe", 0o600)
        defer {
            for path in files + links.map(\.0) + ["/root/pipe"] { unsafe unlink(base + path) }
            for folder in folders.reversed() { unsafe rmdir(base + folder) }
        }
        for usesOneCall in [true, false] {
            try await body(try LocalRoot(base + "/root", usesOneCall: usesOneCall), base + "/root")
        }
    }

    private static func write(_ text: String, to path: String) throws {
        try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC).write(Array(text.utf8))
    }

    private func path(_ url: String) throws -> LocalPath { try LocalPath(url: url) }

    @Test func `files below the root are read`() async throws {
        try await withRoot { root, _ in
            let file = try root.open(try path("local:///a//b.jpg?version=2"))
            #expect(file.byteCount.bytes == 15)
            #expect(try file.read(most: .kibibytes(1)) == Array("</root/a/b.jpg>".utf8))
            #expect(try root.open(try path("local:///c%20d.jpg")).byteCount.bytes == 15)
            #expect(throws: CalotypeError.self) { try file.read(most: ByteCount(14)) }
        }
    }

    @Test(arguments: [
        "local:///../secret", "local:///a/../../secret", "local:///%2e%2e/secret", "local:///a/%2e%2e/c",
        "local:///.",
        "local:///", "local:///a/", "local://a/b", "local:a", "local:///a%00b", "local:///..%2fsecret",
        "local:///%zz",
        "local:///a%2f..%2f..%2fsecret",
    ])
    func `a path that leads upwards is refused before anything is opened`(url: String) throws {
        let refusal = #expect(throws: ServerError.self) { try LocalPath(url: url) }
        #expect(refusal?.status == 404)
    }

    @Test(arguments: [
        "out", "up/secret", "up/root2/x", "in", "abs/passwd", "a", "pipe", "missing", "a/b.jpg/c",
    ])
    func `links, folders and pipes are no files`(name: String) async throws {
        try await withRoot { root, _ in
            let path = try path("local:///\(name)")
            let failure = #expect(throws: CalotypeError.self) { try root.open(path) }
            #expect(failure?.code == .fileNotReadable)
        }
    }

    @Test func `a source is named by its version, and read on the executor`() async throws {
        try await withRoot { root, base in
            let name = try path("local:///c%20d.jpg")
            try await withThreadExecutor(name: "disk", threads: 1) { disk in
                let first = try root.open(name).source(on: disk, limits: ImageLimits())
                #expect(try root.open(name).source(on: disk, limits: ImageLimits()) == first)
                guard case .provided(let provider) = first else {
                    Issue.record("it is not read when it is wanted")
                    return
                }
                let bytes = try await provider.load()
                #expect(bytes == Array("</root/c d.jpg>".utf8))
                try Self.write("changed", to: base + "/c d.jpg")
                #expect(try root.open(name).source(on: disk, limits: ImageLimits()) != first)
                try Self.write("</root/c d.jpg>", to: base + "/c d.jpg")
            }
        }
    }

    @Test func `a file that became shorter is no source`() async throws {
        try await withRoot { root, base in
            let file = try root.open(try path("local:///c%20d.jpg"))
            unsafe truncate(base + "/c d.jpg", 3)
            let failure = #expect(throws: CalotypeError.self) { try file.read(most: .kibibytes(1)) }
            #expect(failure?.code == .sourceChanged)
            try Self.write("</root/c d.jpg>", to: base + "/c d.jpg")
        }
    }

    @Test func `a root has to be there`() {
        let failure = #expect(throws: CalotypeError.self) { try LocalRoot("/nowhere/at/all") }
        #expect(failure?.code == .fileNotReadable)
    }
}
