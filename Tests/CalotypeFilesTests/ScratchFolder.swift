import FoundationEssentials

/// A folder that is gone with the test.
final class ScratchFolder {
    let path = FileManager.default.temporaryDirectory.path + "/calotype-files-\(UUID().uuidString)"

    init() {
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The names in it, hidden ones included.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}
