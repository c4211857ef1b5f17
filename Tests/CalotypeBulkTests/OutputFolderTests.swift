import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import FoundationEssentials
import Testing

@testable import CalotypeBulk

struct OutputFolderTests {
    @Test func `a file is written, replaced and read back`() throws {
        let folder = try Folder()
        let output = try OutputFolder(path: folder.output + "/deep/er")
        try output.write([1, 2, 3], as: "a.jpg")
        #expect(output.size(of: "a.jpg") == 3)
        try output.write([4], as: "a.jpg")
        #expect(output.read("a.jpg", limit: 10) == [4])
        #expect(output.read("a.jpg", limit: 0) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.output + "/deep/er") == ["a.jpg"])
    }

    @Test(arguments: [true, false])
    func `a file that is dropped before its end leaves nothing`(_ unnamed: Bool) throws {
        let folder = try Folder()
        let directory = try OpenFile(folder.path, O_RDONLY | O_DIRECTORY)
        do {
            let file = try AtomicFile(in: directory, temporary: ".calotype-1-1.part", unnamed: unnamed)
            try file.file.write([1, 2, 3])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [true, false])
    func `a name appears with all its bytes, also over an older file`(_ unnamed: Bool) throws {
        let folder = try Folder()
        let directory = try OpenFile(folder.path, O_RDONLY | O_DIRECTORY)
        for bytes in [[1], [2, 3]] as [[UInt8]] {
            let file = try AtomicFile(in: directory, temporary: ".calotype-1-1.part", unnamed: unnamed)
            try file.file.write(bytes)
            let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(before.filter { !FileName.isTemporary($0) } == (bytes.count == 1 ? [] : ["x"]))
            try file.commit(as: "x", synced: true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x"])
            #expect(try Data(contentsOf: URL(filePath: folder.path + "/x")) == Data(bytes))
        }
    }

    @Test func `what a killed run has left is removed by the next, nothing else`() throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.output, withIntermediateDirectories: false)
        for name in [".calotype-99-1.part", ".calotype-x", "mine.part", "000000000.jpg"] {
            _ = try folder.write([1], to: "out/" + name)
        }
        _ = try OutputFolder(path: folder.output)
        #expect(try folder.outputNames() == [".calotype-x", "000000000.jpg", "mine.part"])
    }

    @Test func `a second run over the same folder is refused`() throws {
        let folder = try Folder()
        let first = try OutputFolder(path: folder.output)
        let error = #expect(throws: BulkError.self) { try OutputFolder(path: folder.output) }
        #expect(error?.description.contains("another run") == true)
        withExtendedLifetime(first) {}
    }

    @Test func `a folder that cannot be written is detected immediately`() throws {
        let folder = try Folder()
        let file = try folder.write([], to: "file")
        for path in [file, file + "/below", "/proc/calotype", "/proc/self"] {
            #expect(throws: BulkError.self) { try OutputFolder(path: path) }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func `a full disk fails the picture and leaves no file`() throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.output, withIntermediateDirectories: false)
        guard unsafe mount("calotype", folder.output, "tmpfs", 0, "size=64k") == 0 else { return }
        defer { unsafe umount2(folder.output, Int32(2)) }
        let output = try OutputFolder(path: folder.output)
        try output.write(Array(repeating: 1, count: 20_000), as: "a.jpg")
        let error = #expect(throws: CalotypeError.self) {
            try output.write(Array(repeating: 2, count: 200_000), as: "b.jpg")
        }
        #expect(error?.code == .storageFailed)
        #expect(error?.message.contains("No space left") == true)
        #expect(throws: CalotypeError.self) {
            try output.write(Array(repeating: 2, count: 200_000), as: "a.jpg")
        }
        #expect(try folder.outputNames() == ["a.jpg"])
        #expect(output.size(of: "a.jpg") == 20_000)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct KilledRunTests {
    @Test(arguments: [true, false])
    func `kill -9 in the middle of a file leaves no name and nothing for long`(
        _ unnamed: Bool
    ) async throws {
        let folder = try Folder()
        _ = try OutputFolder(path: folder.output)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.output as String, unnamed = unnamed as Bool] in
            let directory = try OpenFile(path, O_RDONLY | O_DIRECTORY)
            let file = try AtomicFile(
                in: directory,
                temporary: ".calotype-\(getpid())-1.part",
                unnamed: unnamed
            )
            try file.file.write([1, 2, 3])
            kill(getpid(), SIGKILL)
        }
        #expect(try folder.outputNames().count { !FileName.isTemporary($0) } == 0)
        _ = try OutputFolder(path: folder.output)
        #expect(try folder.outputNames().isEmpty)
    }
}
