import Calotype
import CalotypeTestKit
import FoundationEssentials

/// Where thumbnails are kept: a folder, written on a thread of its own, and a log.
struct Shelf: Sendable {
    let folder: URL
    let disk: ThreadExecutor
    let log = Recorder<String>()

    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)) }
    }

    /// Writes a thumbnail; one that cannot be written is made again the next time.
    func store(_ thumbnail: Rendition, id: Int) async {
        let path = folder.appending(path: "\(id).jpg").path(percentEncoded: false)
        try? await disk.run { try thumbnail.write(to: path) }
    }
}

/// Runs `body` with a shelf in a new folder, which is removed at the end.
func withShelf(_ body: (Shelf) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "thumbnails-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Nobody needs it any more; what cannot be removed is in the folder for temporary files.
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withThreadExecutor(name: "shelf", threads: 1) { disk in
        try await body(Shelf(folder: folder, disk: disk))
    }
}
