import Glibc

/// A new file that gets its name when it is complete, and leaves nothing when it is dropped before.
package final class AtomicFile {
    /// `O_TMPFILE`, which Glibc's Swift module lacks because it is a macro of two flags.
    package static let unnamedFlag: Int32 = 0o20_000_000 | O_DIRECTORY

    package let file: OpenFile
    private let folder: OpenFile
    private let temporary: String
    private var hasName: Bool

    /// Opens a file without a name, or one called `temporary` where the file system has only named ones.
    package init(in folder: OpenFile, temporary: String, unnamed: Bool) throws(SystemError) {
        self.folder = folder
        self.temporary = temporary
        hasName = !unnamed
        file =
            unnamed
            ? try OpenFile(".", in: folder, Self.unnamedFlag | O_RDWR)
            : try OpenFile(temporary, in: folder, O_RDWR | O_CREAT | O_EXCL)
    }

    deinit {
        if hasName { unsafe unlinkat(folder.descriptor, temporary, 0) }
    }

    /// Gives the file its name, in place of what had it.
    package func commit(as name: String, synced: Bool) throws(SystemError) {
        if synced, fdatasync(file.descriptor) != 0 { throw SystemError("write to the disk") }
        if !hasName {
            if link(as: name) { return }
            guard errno == EEXIST else { throw SystemError("name the file") }
            // A link never replaces a name, a rename does.
            guard link(as: temporary) else { throw SystemError("name the file") }
            hasName = true
        }
        guard unsafe renameat(folder.descriptor, temporary, folder.descriptor, name) == 0 else {
            throw SystemError("rename the file")
        }
        hasName = false
    }

    private func link(as name: String) -> Bool {
        let path = "/proc/self/fd/\(file.descriptor)"
        return unsafe linkat(AT_FDCWD, path, folder.descriptor, name, AT_SYMLINK_FOLLOW) == 0
    }

    /// Writes `bytes` to what `path` leads to: in place of a regular file, which appears complete or not at all; into a device
    /// or a FIFO.
    ///
    /// Blocks while the disk is busy, and until somebody reads from a FIFO.
    package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        guard case .file(let folder, let name) = try OutputTarget(path) else {
            return try OpenFile(writingTo: path).write(bytes)
        }
        let parent = try OpenFile(folder, O_RDONLY | O_DIRECTORY)
        let temporary = ".\(name).\(getpid()).part"
        let file: AtomicFile
        do {
            file = try AtomicFile(in: parent, temporary: temporary, unnamed: true)
        } catch {
            // Some file systems have only files with names.
            file = try AtomicFile(in: parent, temporary: temporary, unnamed: false)
        }
        try file.file.write(bytes)
        try file.commit(as: name, synced: true)
    }
}
