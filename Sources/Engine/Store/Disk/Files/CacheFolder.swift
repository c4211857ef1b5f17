internal import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypePlatform

/// The folder of a disk cache: `index.db`, `owner.lock` and value files such as `blobs/0a/0a1b….7`.
///
/// Files are opened relative to the open folder, so that a new folder of the same name is never mistaken for
/// it.
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

    /// Opens the folder; creates it and its missing parents for this user alone.
    init(creating path: String) throws(SystemError) {
        var parent = path.startIndex
        while let slash = path[parent...].firstIndex(of: "/") {
            // If a folder cannot be created, opening the last one reports it.
            if slash > path.startIndex { unsafe mkdir(String(path[..<slash]), 0o700) }
            parent = path.index(after: slash)
        }
        unsafe mkdir(path, 0o700)
        try self.init(opening: path)
    }

    var indexPath: String { "\(path)/\(Self.indexName)" }

    // MARK: The index

    /// The identity of the index file; `nil` if there is none.
    var indexIdentity: FileIdentity? {
        var status = stat()
        // By path, because a folder that was moved or removed is not the one that others see.
        guard unsafe stat(indexPath, &status) == 0 else { return nil }
        return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }

    /// The length of the index's log; `nil` if there is none.
    var logLength: Int? {
        var status = stat()
        guard unsafe fstatat(root.descriptor, "\(Self.indexName)-wal", &status, 0) == 0 else { return nil }
        return Int(status.st_size)
    }

    /// Renames a damaged index, so that it can be examined; only the latest is kept.
    ///
    /// All connections to it must have been closed.
    func setIndexAside(seconds: Int64) {
        for name in names(in: ".") where name.hasPrefix(Self.damagedPrefix) { removeFile(name) }
        // A log belongs only to its database.
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

    /// The key and the generation in the name of a value file; `nil` for any other name.
    static func parse(_ name: String) -> (key: Digest, generation: Int64)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Hexadecimal.bytes(parts[0]), bytes.count == 32,
            let generation = Int64(parts[1]), generation > 0, String(generation) == parts[1]
        else { return nil }
        return (Digest(bytes: bytes), generation)
    }

    /// The names of the folders with value files; at most 256.
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
        removeFiles { _ in true }
    }

    /// Removes the value files of the keys that `isUnwanted` names.
    func removeBlobs(where isUnwanted: (Digest) -> Bool) {
        removeFiles { Self.parse($0).map { isUnwanted($0.key) } ?? false }
    }

    private func removeFiles(where isUnwanted: (_ name: String) -> Bool) {
        for folder in blobFolders() {
            for name in names(in: folder) where isUnwanted(name) { removeFile("\(folder)/\(name)") }
        }
    }

    /// Removes a file; a missing file counts as removed.
    func removeFile(_ name: String) {
        unsafe unlinkat(root.descriptor, name, 0)
    }

    /// The names in a folder, in no order; none if it cannot be read.
    func names(in folder: String) -> [String] { FolderNames.all(in: folder, of: root) }
}

/// Identifies a file, whatever its name.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
}

/// The right to write in a cache folder, which one process has at a time.
///
/// The system releases it when the process ends, however it ends. The lock file itself stays, and is empty.
struct OwnerLock: ~Copyable {
    static let name = "owner.lock"

    private let file: OpenFile

    /// Takes the lock without waiting.
    ///
    /// - Returns: `nil` if another process, or another cache in this one, has the lock.
    /// - Throws: The system's error if the file cannot be opened.
    static func take(in folder: OpenFile) throws(SystemError) -> OwnerLock? {
        let file = try OpenFile(name, in: folder, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        return try file.lock() ? OwnerLock(file: file) : nil
    }

    /// Whether the lock is taken.
    ///
    /// The check does not take the lock, so it never turns anyone away.
    static func isTaken(in folder: OpenFile) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try OpenFile(name, in: folder, O_RDONLY | O_NOFOLLOW).isLocked()
        } catch {
            guard error.code == ENOENT else { throw error }
            return false
        }
    }
}
