internal import CalotypeCore
internal import Glibc

/// A file in the folder of beginnings.
struct PartialFile: Hashable, Sendable {
    let name: String
    let bytes: Int
    /// When it was written, in nanoseconds since 1970 by the file system's clock.
    let modified: Int

    /// Whether it has no name of its own yet.
    var isTemporary: Bool { name.hasPrefix(".") }

    /// All plain files of `folder`.
    static func all(in folder: OpenFile) -> [PartialFile] {
        // The stream takes over its descriptor, so it is given one of its own.
        guard let own = try? OpenFile(".", in: folder, O_RDONLY | O_DIRECTORY) else { return [] }
        guard let stream = unsafe fdopendir(fcntl(own.descriptor, F_DUPFD_CLOEXEC, 0)) else { return [] }
        defer { unsafe closedir(stream) }
        var files: [PartialFile] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if let file = PartialFile(name, in: folder) { files.append(file) }
        }
        return files
    }

    private init?(_ name: String, in folder: OpenFile) {
        var status = stat()
        guard unsafe fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.isKind(S_IFREG)
        else { return nil }
        self.name = name
        bytes = Int(status.st_size)
        modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
    }
}
