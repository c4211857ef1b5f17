public import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import Glibc
internal import TaskFlow

/// Beginnings of bodies whose transfer was cut, in files, so that a later load or process can go on from there.
///
/// They lie in the folder `partial` below the cache's, one file each, with a checksum. A file that is damaged, or was
/// written by another version, is removed and means nothing; a folder that cannot be used means that nothing is kept.
/// Several processes may use one folder: whoever takes a beginning removes it.
public final class PartialDownloads: Sendable {
    /// The shortest beginning that is worth a file: 64 KiB.
    public static let shortest = ByteCount.kibibytes(64)

    /// The folder of the files.
    public let folder: String
    /// The most bytes that the beginnings take together; the oldest go first.
    public let byteLimit: ByteCount
    /// The most beginnings that are kept; the oldest go first.
    public let countLimit: Int

    private static let ending = ".part"
    /// After this time, in nanoseconds, a file with a temporary name is one that a killed process has left.
    private static let temporaryLifetime = 3600 * 1_000_000_000
    private let lastNumber = Guarded(0)

    /// Creates a store of beginnings; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - cacheFolder: The cache's folder; `partial` is made below it when it is needed.
    ///   - byteLimit: The most bytes together, 256 MiB by default.
    ///   - countLimit: The most files, 64 by default.
    public init(in cacheFolder: String, byteLimit: ByteCount = .mebibytes(256), countLimit: Int = 64) {
        folder = cacheFolder + "/partial"
        self.byteLimit = byteLimit
        self.countLimit = countLimit
    }

    /// Tells what is kept under `key`, and leaves it there; blocks while the disk is busy.
    ///
    /// - Returns: `nil` when there is nothing, or its head is damaged.
    package func look(_ key: StoreKey) -> (metadata: [UInt8], count: ByteCount)? {
        guard let digest = Self.digest(of: key), let folder = opened() else { return nil }
        let name = Self.name(of: digest)
        do throws(BlobError) {
            guard let head = try BlobFile.readHead(name, in: folder, limit: byteLimit) else { return nil }
            guard head.header.key == digest else { throw .damaged(.wrongKey) }
            return (head.metadata, ByteCount(head.header.valueLength))
        } catch {
            _ = Self.remove(name, in: folder)
            return nil
        }
    }

    /// Removes what is kept under `key`; blocks while the disk is busy.
    package func remove(_ key: StoreKey) {
        guard let digest = Self.digest(of: key), let folder = opened() else { return }
        _ = Self.remove(Self.name(of: digest), in: folder)
    }

    /// Removes the beginning that is kept under `key` and gives it to the caller; blocks while the disk is busy.
    ///
    /// - Returns: `nil` when there is none, or it is damaged, or another process has taken it meanwhile.
    package func take(_ key: StoreKey) -> StoredEntry? {
        guard let digest = Self.digest(of: key), let folder = opened() else { return nil }
        let own = temporaryName()
        // Under a name of its own nobody else takes it meanwhile, nor has another put in its place.
        guard unsafe renameat(folder.descriptor, Self.name(of: digest), folder.descriptor, own) == 0 else {
            return nil
        }
        TaskSchedule.pause("between claiming and reading a beginning")
        defer { _ = Self.remove(own, in: folder) }
        // What is not to be read now will not be better later.
        return try? BlobFile.read(own, in: folder, key: digest, limit: byteLimit)
    }

    /// Keeps `entry` under `key` in the place of what is there, if that can be done; blocks while the disk is busy.
    ///
    /// The file appears complete or not at all. What is shorter than ``shortest`` or longer than ``byteLimit`` is not
    /// kept.
    package func keep(_ entry: StoredEntry, for key: StoreKey) {
        guard (Self.shortest.bytes...max(byteLimit.bytes, Self.shortest.bytes)).contains(entry.bytes.count),
            countLimit > 0, let digest = Self.digest(of: key), let folder = opened(makes: true)
        else { return }
        let temporary = temporaryName()
        do throws(SystemError) {
            let now = Int64(time(nil)) * 1000
            try BlobFile.write(entry, key: digest, createdMilliseconds: now, as: temporary, in: folder)
        } catch {
            // A beginning that is not kept is only loaded again.
            return
        }
        TaskSchedule.pause("between writing and naming a beginning")
        if unsafe renameat(folder.descriptor, temporary, folder.descriptor, Self.name(of: digest)) != 0 {
            _ = Self.remove(temporary, in: folder)
        }
        trim(folder)
    }

    /// Removes all beginnings; blocks while the disk is busy.
    public func removeAll() {
        guard let folder = opened() else { return }
        for file in files(in: folder) { _ = Self.remove(file.name, in: folder) }
    }

    /// How many beginnings there are, and how many bytes their files take; blocks while the disk is busy.
    public var contents: (count: Int, bytes: ByteCount) {
        guard let folder = opened() else { return (0, ByteCount(0)) }
        let files = files(in: folder).filter { !$0.isTemporary }
        return (files.count, ByteCount(files.reduce(0) { $0 + $1.bytes }))
    }

    private func temporaryName() -> String {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        return ".\(getpid()).\(number).\(UInt64.random(in: 0...UInt64.max))\(Self.ending)"
    }

    private func opened(makes: Bool = false) -> OpenFile? {
        if makes {
            // Whether it worked is seen when it is opened.
            let parent = folder.dropLast("/partial".count)
            unsafe mkdir(String(parent), 0o700)
            unsafe mkdir(folder, 0o700)
        }
        return try? OpenFile(folder, O_RDONLY | O_DIRECTORY)
    }

    /// Removes the oldest files until the rest is within the limits.
    private func trim(_ folder: OpenFile) {
        let now = Int(time(nil)) * 1_000_000_000
        var (bytes, count) = (0, 0)
        for file in files(in: folder).sorted(by: { $0.modified > $1.modified }) {
            guard !file.isTemporary else {
                if now - file.modified > Self.temporaryLifetime { _ = Self.remove(file.name, in: folder) }
                continue
            }
            bytes += file.bytes
            count += 1
            if bytes > byteLimit.bytes || count > countLimit { _ = Self.remove(file.name, in: folder) }
        }
    }

    private func files(in folder: OpenFile) -> [PartialFile] {
        PartialFile.all(in: folder).filter { $0.name.hasSuffix(Self.ending) }
    }

    private static func digest(of key: StoreKey) -> Digest? {
        // No digest, no name: then nothing is kept.
        try? Digest(.sha256, of: key.text)
    }

    private static func name(of digest: Digest) -> String {
        digest.hexadecimal + ending
    }

    /// Whether there was such a file, and this call has removed it.
    private static func remove(_ name: String, in folder: OpenFile) -> Bool {
        unsafe unlinkat(folder.descriptor, name, 0) == 0
    }
}

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
