import Calotype
import CalotypeTestKit
import FoundationEssentials

/// A store for thumbnails: a folder, which is written on a separate thread, and a log.
struct Shelf: Sendable {
    let folder: URL
    let disk: ThreadExecutor
    let log = Recorder<String>()

    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)) }
    }

    /// Writes a thumbnail; if that fails, it is made again the next time.
    func store(_ thumbnail: Rendition, id: Int) async {
        let path = folder.appending(path: "\(id).jpg").path(percentEncoded: false)
        try? await disk.run { try thumbnail.write(to: path) }
    }
}

/// Runs `body` with a shelf in a new folder, which is removed at the end.
func withShelf(_ body: (Shelf) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "thumbnails-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The folder is no longer needed; files that cannot be removed are in the temporary folder.
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withThreadExecutor(name: "shelf", threads: 1) { disk in
        try await body(Shelf(folder: folder, disk: disk))
    }
}
