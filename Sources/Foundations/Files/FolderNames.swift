internal import CalotypePlatform

/// The names in folders.
package enum FolderNames {
    /// Reads the names in a folder.
    ///
    /// - Parameters:
    ///   - path: The folder, relative to `root` if there is one.
    ///   - root: An open folder.
    /// - Returns: The names in no order, without `.` and `..`; none if the folder cannot be read.
    package static func all(in path: String, of root: OpenFile? = nil) -> [String] {
        assert(BlockingCalls.note("read the folder \(path)"))
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
