package import CalotypeCore
internal import Glibc

/// The folder of the journal, which only its owner can look into.
package enum JournalFolder {
    /// Creates `path` and what is missing above it.
    package static func create(_ path: String) throws(SystemError) {
        guard unsafe mkdir(path, 0o700) != 0 else { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { break }
            try create(String(path[..<slash]))
            guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        default: break
        }
        throw SystemError("create the folder \(path)")
    }

    /// Removes the files in `path`, and then the folder; what is not there is no error.
    static func remove(_ path: String) {
        for name in names(in: path) { unsafe unlink("\(path)/\(name)") }
        unsafe rmdir(path)
    }

    /// The names in the folder at `path`; none where there is no such folder.
    package static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
