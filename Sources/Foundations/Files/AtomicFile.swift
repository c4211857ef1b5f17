internal import CalotypeCPOSIX
import CalotypePlatform

/// A new file that gets its name when it is complete, and leaves nothing behind if it is dropped before.
package final class AtomicFile {
    package let file: OpenFile
    private let folder: OpenFile
    private let temporary: String
    private var hasName: Bool

    /// Opens a file without a name, or one called `temporary` if the file system supports only named files.
    package init(in folder: OpenFile, temporary: String, unnamed: Bool) throws(SystemError) {
        self.folder = folder
        self.temporary = temporary
        hasName = !unnamed
        file =
            unnamed
            ? try OpenFile(".", in: folder, Platform.unnamedFlag | O_RDWR)
            : try OpenFile(temporary, in: folder, O_RDWR | O_CREAT | O_EXCL)
    }

    deinit {
        if hasName { unsafe unlinkat(folder.descriptor, temporary, 0) }
    }

    /// Lets the disk begin to write what the file contains, without waiting.
    ///
    /// Do it for many files before ``sync()`` of the first: they then share what the file system has to write.
    package func startSync() {
        _ = calotype_start_sync(file.descriptor)
    }

    /// Waits until the disk has what the file contains.
    package func sync() throws(SystemError) {
        assert(BlockingCalls.note("fdatasync"))
        if Platform.syncData(file.descriptor) != 0 { throw SystemError("write to the disk") }
    }

    /// Gives the file its name, replacing any file of that name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - target: A folder of the same file system; `nil` for that of the temporary file.
    ///   - synced: Whether to wait until the disk has what the file contains.
    /// - Throws: The error of the system.
    package func commit(as name: String, in target: OpenFile? = nil, synced: Bool) throws(SystemError) {
        let target = target ?? folder
        if synced { try sync() }
        if !hasName {
            if link(as: name, in: target) { return }
            guard errno == EEXIST else { throw SystemError("name the file") }
            // A link never replaces an existing name; a rename does.
            guard link(as: temporary, in: folder) else { throw SystemError("name the file") }
            hasName = true
        }
        guard unsafe renameat(folder.descriptor, temporary, target.descriptor, name) == 0 else {
            throw SystemError("rename the file")
        }
        hasName = false
    }

    private func link(as name: String, in folder: OpenFile) -> Bool {
        let path = "\(Platform.descriptorFolder)/\(file.descriptor)"
        return unsafe linkat(AT_FDCWD, path, folder.descriptor, name, AT_SYMLINK_FOLLOW) == 0
    }

    /// Writes `bytes` to the target of `path`: atomically to a regular file, directly to a device or a FIFO.
    ///
    /// A regular file is replaced; it appears complete or not at all. Blocks while the disk is busy, and
    /// until another process reads from a FIFO.
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
            // Some file systems support only named files.
            file = try AtomicFile(in: parent, temporary: temporary, unnamed: false)
        }
        try file.file.write(bytes)
        try file.commit(as: name, synced: true)
    }
}

extension OpenFile {
    /// Waits until the disk has all that was written to the file system of this file.
    ///
    /// For thousands of new files it takes a fraction of the time of waiting for each.
    package func syncFileSystem() throws(SystemError) {
        assert(BlockingCalls.note("syncfs"))
        if calotype_sync_all(descriptor) != 0 { throw SystemError("write to the disk") }
    }

    /// Opens a new file for reading and writing that no name leads to, and that is gone when it is closed.
    ///
    /// It is called `temporary` for a moment if the file system supports only named files.
    package static func unnamed(in folder: OpenFile, temporary: String) throws(SystemError) -> OpenFile {
        if let file = try? OpenFile(".", in: folder, Platform.unnamedFlag | O_RDWR) { return file }
        let file = try OpenFile(temporary, in: folder, O_RDWR | O_CREAT | O_EXCL)
        unsafe unlinkat(folder.descriptor, temporary, 0)
        return file
    }

    /// Opens a new file for reading and writing in the folder at `path` that no name leads to.
    package static func unnamed(in path: String) throws(SystemError) -> OpenFile {
        assert(BlockingCalls.note("open \(path)"))
        return try OpenFile(opened: Platform.openUnnamed(in: path), "open \(path)")
    }
}

/// The target of a path after following links: where bytes written to it go.
package enum OutputTarget: Hashable, Sendable {
    /// A regular file, or a new one, in a folder whose path has no links.
    case file(folder: String, name: String)
    /// A device, a FIFO or another process's descriptor.
    ///
    /// It takes bytes as they arrive and must not be replaced.
    case stream(path: String)
    /// A descriptor that this process inherited, such as that of `/dev/stdout`.
    case descriptor(Int32)

    private static let linkLimit = 40

    /// Follows the links of `path`, even if the last one leads to a file that does not exist yet.
    ///
    /// - Throws: The system's error for a folder on the way; `EISDIR` for a folder, `ELOOP` for links that
    ///   lead nowhere.
    package init(_ path: String) throws(SystemError) {
        var path = path
        for _ in 0..<Self.linkLimit {
            let (folder, name) = try Self.place(of: path)
            if let descriptor = try Self.descriptor(folder, name) {
                self = .descriptor(descriptor)
                return
            }
            var status = stat()
            guard unsafe lstat("\(folder)/\(name)", &status) == 0 else {
                guard errno == ENOENT else { throw SystemError("write to \(path)") }
                self = .file(folder: folder, name: name)
                return
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                self = .file(folder: folder, name: name)
                return
            case S_IFDIR:
                throw SystemError("write to \(path)", code: EISDIR)
            case S_IFLNK where !folder.hasPrefix("/proc/"):
                let target = try Self.target(of: "\(folder)/\(name)")
                path = target.hasPrefix("/") ? target : "\(folder)/\(target)"
            default:
                self = .stream(path: "\(folder)/\(name)")
                return
            }
        }
        throw SystemError("write to \(path)", code: ELOOP)
    }

    private static func place(of path: String) throws(SystemError) -> (folder: String, name: String) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard !["", ".", ".."].contains(name) else { throw SystemError("write to \(path)", code: EISDIR) }
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let resolved = unsafe realpath(folder, nil) else { throw SystemError("open \(folder)") }
        defer { unsafe free(resolved) }
        return (unsafe String(cString: resolved), name)
    }

    /// The descriptor that a name in this process's descriptor folder stands for; `nil` for any other name.
    private static func descriptor(_ folder: String, _ name: String) throws(SystemError) -> Int32? {
        guard folder.hasPrefix("/proc/\(getpid())/"), folder.hasSuffix("/fd"), let number = Int32(name)
        else { return nil }
        // Refuses descriptors that the process has opened for itself: they are private, and a new program
        // closes them.
        let flags = fcntl(number, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else {
            throw SystemError("write to descriptor \(number)", code: EBADF)
        }
        return number
    }

    private static func target(of link: String) throws(SystemError) -> String {
        let buffer = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = unsafe max(readlink(link, start, buffer.count), 0)
        }
        guard !buffer.isEmpty else { throw SystemError("read the link \(link)") }
        return String(decoding: buffer.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension OpenFile {
    /// Opens the target of `path` to write bytes as they arrive, replacing the contents of a regular file.
    ///
    /// Waits until another process reads from a FIFO.
    package convenience init(writingTo path: String) throws(SystemError) {
        switch try OutputTarget(path) {
        case .file(let folder, let name): try self.init("\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC)
        case .stream(let path): try self.init(path, O_WRONLY | O_NOCTTY)
        case .descriptor(let number): self.init(descriptor: number, isOwned: false)
        }
    }
}
