internal import CalotypeFiles
internal import CalotypePlatform
internal import Synchronization

/// A folder for one run, in memory where the system has such a place; removed with what is in it.
struct TrialCacheFolder: Sendable {
    private static let count = Atomic(0)

    let path: String

    init() {
        let parent = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        path = "\(parent)/calotype-schedule-\(getpid())-\(number)"
    }

    /// The plain files below it, by their names from here on, and their lengths.
    var files: [String: Int] { Self.files(in: path, "") }

    func remove() {
        for name in files.keys { unsafe unlink("\(path)/\(name)") }
        for folder in Self.folders(in: path).reversed() { unsafe rmdir(folder) }
    }

    /// Puts a file where the folder of value files was.
    func spoil() {
        guard unsafe rename("\(path)/blobs", "\(path)/away") == 0 || errno == ENOENT else { return }
        close(unsafe open("\(path)/blobs", O_WRONLY | O_CREAT | O_EXCL, 0o600))
    }

    /// Undoes `spoil()`.
    func mend() {
        guard unsafe unlink("\(path)/blobs") == 0 else { return }
        unsafe rename("\(path)/away", "\(path)/blobs")
    }

    /// Changes the last byte of each value file.
    func damage() {
        for (name, length) in files where name.hasPrefix("blobs/") && length > 0 {
            let file = unsafe open("\(path)/\(name)", O_WRONLY)
            var byte: UInt8 = 0xA5
            _ = unsafe pwrite(file, &byte, 1, length - 1)
            close(file)
        }
    }

    private static func files(in folder: String, _ prefix: String) -> [String: Int] {
        var found: [String: Int] = [:]
        for name in FolderNames.all(in: folder).sorted() {
            var facts = stat()
            guard unsafe lstat("\(folder)/\(name)", &facts) == 0 else { continue }
            if facts.st_mode & S_IFMT == S_IFDIR {
                found.merge(files(in: "\(folder)/\(name)", "\(prefix)\(name)/")) { first, _ in first }
            } else {
                found[prefix + name] = Int(facts.st_size)
            }
        }
        return found
    }

    private static func folders(in folder: String) -> [String] {
        [folder]
            + FolderNames.all(in: folder).sorted().map { "\(folder)/\($0)" }.filter { path in
                var facts = stat()
                return unsafe lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
            }.flatMap(folders)
    }
}
