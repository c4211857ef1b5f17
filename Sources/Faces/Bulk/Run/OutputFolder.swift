internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import Synchronization

/// The output folder, locked for this run.
///
/// A file appears under its name only when it is complete. It is written without a name (`O_TMPFILE`) and
/// then linked into place, so that not even `kill -9` leaves a partial file. If the file system does not
/// support this, and while an older file is being replaced, the file has a hidden name, which the next run
/// removes.
final class OutputFolder: Sendable {
    let path: String
    private let folder: OpenFile
    private let hasUnnamedFiles: Bool
    private let lastTemporary = Atomic(0)

    /// Creates the folder if it is missing, locks it, and checks that files can be written in it.
    init(path: String) throws(BulkError) {
        do throws(SystemError) {
            try Self.createFolders(path)
            folder = try OpenFile(path, O_RDONLY | O_DIRECTORY)
            self.path =
                unsafe realpath(path, nil).map { pointer in
                    defer { unsafe free(pointer) }
                    return unsafe String(cString: pointer)
                } ?? path
            let isLocked = try Self.lock(folder)
            hasUnnamedFiles = try Self.probe(folder)
            // Without the lock, another run could be writing such a file.
            if isLocked { Self.removeTemporaries(folder) }
        } catch {
            throw BulkError("the output folder \(path) cannot be used: \(error)")
        }
    }

    /// Writes `bytes` atomically under `name`, replacing an older file.
    ///
    /// The bytes are on disk before the name is (`fdatasync`): after a power failure, a name without its
    /// bytes would be a partial file for all readers but ours. On a virtual disk this took 0.1 ms of CPU and
    /// 0.3 to 4 ms of waiting per file, compared to about 30 ms of decoding, and the waiting threads do not
    /// decode.
    ///
    /// A link, a FIFO or a device of that name belongs to somebody else, so it is not replaced.
    func write(_ bytes: [UInt8], as name: String) throws(CalotypeError) {
        let file = try begin(bytes, as: name)
        do throws(SystemError) {
            try file.commit(as: name, synced: true)
        } catch {
            throw Self.failure(of: name, error)
        }
    }

    /// Writes `bytes` into a file that is to be called `name` when it is committed.
    func begin(_ bytes: [UInt8], as name: String) throws(CalotypeError) -> AtomicFile {
        if let status = status(of: name), !status.isKind(S_IFREG) {
            let message = "\(name) is not a regular file, and was not replaced"
            throw CalotypeError(.storageFailed, message, stage: .store)
        }
        do throws(SystemError) {
            let file = try AtomicFile(in: folder, temporary: nextTemporary(), unnamed: hasUnnamedFiles)
            try file.file.write(bytes)
            return file
        } catch {
            throw Self.failure(of: name, error)
        }
    }

    static func failure(of name: String, _ error: SystemError) -> CalotypeError {
        CalotypeError(.storageFailed, "\(name): \(error)", stage: .store, cause: error)
    }

    /// Returns the size of the file `name`, or `nil` if there is no such regular file.
    func size(of name: String) -> Int? {
        status(of: name).flatMap { $0.isKind(S_IFREG) ? Int($0.st_size) : nil }
    }

    private func status(of name: String) -> stat? {
        var status = stat()
        return unsafe fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Whether the path still leads to this folder.
    var isInPlace: Bool {
        var there = stat()
        guard unsafe stat(path, &there) == 0, let own = try? folder.status() else { return false }
        return there.st_dev == own.st_dev && there.st_ino == own.st_ino
    }

    /// Returns the bytes of `name`, if there are at most `limit`; for the contact sheet, where they are
    /// optional.
    func read(_ name: String, limit: Int) -> [UInt8]? {
        guard let size = size(of: name), size <= limit else { return nil }
        return try? OpenFile(name, in: folder, O_RDONLY | O_NOFOLLOW).read(limit)
    }

    /// Removes the regular file `name`, if it exists.
    func remove(_ name: String) {
        guard size(of: name) != nil else { return }
        unsafe unlinkat(folder.descriptor, name, 0)
    }

    private func nextTemporary() -> String {
        "\(FileName.temporaryPrefix)\(getpid())-\(lastTemporary.add(1, ordering: .relaxed).newValue).part"
    }

    static func createFolders(_ path: String) throws(SystemError) {
        var partial = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            partial += component
            if unsafe mkdir(partial, 0o777) != 0, errno != EEXIST, errno != EISDIR {
                throw SystemError("create \(partial)")
            }
            partial += "/"
        }
    }

    /// Locks the folder against other runs; returns `false` if the file system has no locks.
    private static func lock(_ folder: OpenFile) throws(SystemError) -> Bool {
        if flock(folder.descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK {
            throw SystemError("lock it, because another run is writing to it", code: EWOULDBLOCK)
        }
        return false
    }

    /// Creates and removes a file; returns whether files without a name are supported.
    private static func probe(_ folder: OpenFile) throws(SystemError) -> Bool {
        if (try? OpenFile(".", in: folder, Platform.unnamedFlag | O_WRONLY)) != nil { return true }
        let name = "\(FileName.temporaryPrefix)\(getpid())-0.part"
        _ = try OpenFile(name, in: folder, O_WRONLY | O_CREAT | O_EXCL)
        unsafe unlinkat(folder.descriptor, name, 0)
        return false
    }

    private static func removeTemporaries(_ folder: OpenFile) {
        for name in FolderNames.all(in: ".", of: folder) where FileName.isTemporary(name) {
            unsafe unlinkat(folder.descriptor, name, 0)
        }
    }
}

extension CalotypeError {
    /// Whether a file could not be written because the disk is full.
    var isFullDisk: Bool { (cause as? SystemError)?.isFull == true }
}

/// The names of output files.
enum FileName {
    /// Returns the file name of `index`, with a size if there are several: `000000007.jpg`,
    /// `000000007-256.jpg`.
    static func name(index: Int, size: Int? = nil, extension end: String) -> String {
        stem(index: index) + (size.map { "-\($0)" } ?? "") + "." + end
    }

    /// Returns the prefix of all file names of `index`: at least nine digits.
    static func stem(index: Int) -> String {
        let digits = String(index)
        return String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }

    /// Whether `name` is a temporary name of ours for an incomplete file.
    static func isTemporary(_ name: String) -> Bool {
        name.hasPrefix(temporaryPrefix) && name.hasSuffix(".part")
    }

    static let temporaryPrefix = ".calotype-"
}

/// Files that a run has written or found, but that were gone or changed at its end.
struct FileLoss: CustomStringConvertible {
    private(set) var count = 0
    private let folder: String
    private var first: String?

    /// Checks the files of this run; `nil` if all are there.
    init?(of state: StateFile, in folder: OutputFolder) {
        self.folder = folder.path
        let isInPlace = folder.isInPlace
        var (count, first) = (0, String?.none)
        state.forEachOfThisRun { record in
            for file in record.made {
                let name = file.fileName(of: record.index)
                guard !isInPlace || folder.size(of: name) != file.bytes else { continue }
                count += 1
                first = min(first ?? name, name)
            }
        }
        if count == 0 { return nil }
        (self.count, self.first) = (count, first)
    }

    var description: String {
        let files = count == 1 ? "1 file is" : "\(count) files are"
        return
            "\(files) missing or changed in \(folder), such as \(first ?? ""); run again to recreate them"
    }
}
