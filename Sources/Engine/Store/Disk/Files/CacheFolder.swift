internal import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import Glibc

/// The folder of a disk cache: `index.db`, `owner.lock` and value files such as `blobs/0a/0a1b….7`.
///
/// Files are reached through the open folder, so that a new folder of the same name is never mistaken for it.
struct CacheFolder: Sendable {
    static let indexName = "index.db"
    static let blobsName = "blobs"
    private static let damagedPrefix = "index.db.bad-"

    let path: String
    let root: OpenFile

    /// Opens the folder.
    init(opening path: String) throws(SystemError) {
        self.path = path
        root = try OpenFile(path, O_RDONLY | O_DIRECTORY)
    }

    /// Opens the folder; it and those above it are created where they are missing, for this user alone.
    init(creating path: String) throws(SystemError) {
        var parent = path.startIndex
        while let slash = path[parent...].firstIndex(of: "/") {
            // What cannot be created is told by opening the last one.
            if slash > path.startIndex { unsafe mkdir(String(path[..<slash]), 0o700) }
            parent = path.index(after: slash)
        }
        unsafe mkdir(path, 0o700)
        try self.init(opening: path)
    }

    var indexPath: String { "\(path)/\(Self.indexName)" }

    // MARK: The index

    /// What tells the index from any other file; `nil` without one.
    var indexIdentity: FileIdentity? {
        var status = stat()
        // By the path, since a folder that was moved or removed is not the one that others see.
        guard unsafe stat(indexPath, &status) == 0 else { return nil }
        return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }

    /// The length of the index's log; `nil` without one.
    var logLength: Int? {
        var status = stat()
        guard unsafe fstatat(root.descriptor, "\(Self.indexName)-wal", &status, 0) == 0 else { return nil }
        return Int(status.st_size)
    }

    /// Gives a damaged index another name, so that it can be looked at; of those, only the latest is kept.
    ///
    /// All connections to it must have been closed.
    func setIndexAside(seconds: Int64) {
        for name in names(in: ".") where name.hasPrefix(Self.damagedPrefix) { removeFile(name) }
        // A log belongs to its database only.
        for suffix in ["-wal", "-shm", "-journal"] { removeFile(Self.indexName + suffix) }
        if unsafe renameat(
            root.descriptor,
            Self.indexName,
            root.descriptor,
            "\(Self.damagedPrefix)\(seconds)"
        ) != 0 {
            removeFile(Self.indexName)
        }
    }

    // MARK: Value files

    static func blobName(_ key: Digest, _ generation: Int64) -> String {
        "\(blobFolder(key))/\(key.hexadecimal).\(generation)"
    }

    private static func blobFolder(_ key: Digest) -> String {
        "\(blobsName)/\(Hexadecimal.text(key.bytes.prefix(1)))"
    }

    /// The key and the generation that the name of a value file tells; `nil` for any other name.
    static func parse(_ name: String) -> (key: Digest, generation: Int64)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Hexadecimal.bytes(parts[0]), bytes.count == 32,
            let generation = Int64(parts[1]), generation > 0, String(generation) == parts[1]
        else { return nil }
        return (Digest(bytes: bytes), generation)
    }

    /// The names of the folders in which value files are; at most 256.
    func blobFolders() -> [String] {
        names(in: Self.blobsName).map { "\(Self.blobsName)/\($0)" }
    }

    /// Creates the folder for a value file of `key`.
    func makeBlobFolder(for key: Digest) throws(SystemError) {
        for name in [Self.blobsName, Self.blobFolder(key)] {
            guard unsafe mkdirat(root.descriptor, name, 0o700) != 0, errno != EEXIST else { continue }
            throw SystemError("create \(name)")
        }
    }

    /// Removes all value files of `key`, of any generation.
    func removeBlobs(of key: Digest) {
        let folder = Self.blobFolder(key)
        for name in names(in: folder) where Self.parse(name)?.key == key { removeFile("\(folder)/\(name)") }
    }

    /// Removes all value files.
    func removeBlobs() {
        for folder in blobFolders() {
            for name in names(in: folder) { removeFile("\(folder)/\(name)") }
        }
    }

    /// Removes a file; one that is not there is as good as removed.
    func removeFile(_ name: String) {
        unsafe unlinkat(root.descriptor, name, 0)
    }

    /// The names in a folder, in no order; none where it cannot be read.
    func names(in folder: String) -> [String] {
        let descriptor = unsafe openat(root.descriptor, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
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

/// What tells a file from all others, whatever it is called.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
}

/// The right to write in a cache folder, which one process has at a time.
///
/// The system gives it back when the process ends, however it ends. The file itself stays and holds nothing.
struct OwnerLock: ~Copyable {
    static let name = "owner.lock"

    private let file: OpenFile

    /// Takes the lock without waiting.
    ///
    /// - Returns: `nil` when another process, or another cache of this one, has it.
    /// - Throws: What the system says when the file cannot be had.
    static func take(in folder: OpenFile) throws(SystemError) -> OwnerLock? {
        let file = try OpenFile(name, in: folder, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        return try file.lock() ? OwnerLock(file: file) : nil
    }

    /// Whether somebody has the lock.
    ///
    /// Looking does not take it, so that nobody who wants it meanwhile is turned away.
    static func isTaken(in folder: OpenFile) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try OpenFile(name, in: folder, O_RDONLY | O_NOFOLLOW).isLocked()
        } catch {
            guard error.code == ENOENT else { throw error }
            return false
        }
    }
}
