import FoundationEssentials

/// A temporary folder with an output folder, a state home and a list, gone with the test.
struct Folder: ~Copyable {
    let path: String

    /// Creates the folder; `inMemory` where the system has a place for that, so that waiting for the disk takes no
    /// time.
    init(inMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let parent =
            inMemory && FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path
        path = parent + "/calotype-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var output: String { path + "/out" }
    var state: String { path + "/state" }
    var report: String { path + "/report.jsonl" }
    var sheet: String { path + "/sheet.html" }

    /// The names in the output folder, hidden ones included.
    func outputNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: output).sorted()
    }

    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    func text(_ file: String) throws -> String {
        try String(contentsOfFile: file, encoding: .utf8)
    }
}
