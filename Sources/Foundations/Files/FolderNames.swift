internal import Glibc

/// The names in folders.
package enum FolderNames {
    /// Returns the names in a folder, in no order, without `.` and `..`; none if it cannot be read.
    ///
    /// - Parameters:
    ///   - path: The folder, relative to `root` if there is one.
    ///   - root: An open folder.
    package static func all(in path: String, of root: OpenFile? = nil) -> [String] {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let descriptor = unsafe openat(root?.descriptor ?? AT_FDCWD, path, flags)
        guard descriptor >= 0 else { return [] }
        // The stream takes over the descriptor.
        guard let stream = unsafe fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
