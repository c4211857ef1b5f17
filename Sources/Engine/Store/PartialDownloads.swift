public import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// The first parts of bodies whose transfer was cut, in files, so that a later load or process can resume
/// there.
///
/// They are in the folder `partial` in the cache's folder, one file each, with a checksum. A file that is
/// damaged, or that another version wrote, is removed and ignored; if the folder cannot be used, nothing is
/// kept. Several processes may use one folder: a process that takes a part removes it.
public final class PartialDownloads: Sendable {
    /// The minimum size of a part that is worth a file: 64 KiB.
    public static let shortest = ByteCount.kibibytes(64)

    /// The folder of the files.
    public let folder: String
    /// The maximum size of all parts together; the oldest are removed first.
    public let byteLimit: ByteCount
    /// The maximum number of parts; the oldest are removed first.
    public let countLimit: Int

    private static let ending = ".part"
    /// The age in nanoseconds after which a file with a temporary name was left behind by a killed process.
    private static let temporaryLifetime = 3600 * 1_000_000_000
    private let lastNumber = Guarded(0)

    /// Creates a store of partial downloads; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - cacheFolder: The cache's folder; `partial` is created in it on demand.
    ///   - byteLimit: The maximum size of all parts together, 256 MiB by default.
    ///   - countLimit: The maximum number of files, 64 by default.
    public init(in cacheFolder: String, byteLimit: ByteCount = .mebibytes(256), countLimit: Int = 64) {
        folder = cacheFolder + "/partial"
        self.byteLimit = byteLimit
        self.countLimit = countLimit
    }

    /// Returns the metadata and the size of the part for `key`, and leaves it there; blocks while the disk is
    /// busy.
    ///
    /// - Returns: `nil` if there is none, or its head is damaged.
    package func look(_ key: StoreKey) -> (metadata: [UInt8], count: ByteCount)? {
        guard let digest = Digest(key), let folder = opened() else { return nil }
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

    /// Removes the part for `key`; blocks while the disk is busy.
    package func remove(_ key: StoreKey) {
        guard let digest = Digest(key), let folder = opened() else { return }
        _ = Self.remove(Self.name(of: digest), in: folder)
    }

    /// Removes the part for `key` and returns it; blocks while the disk is busy.
    ///
    /// - Returns: `nil` if there is none, if it is damaged, or if another process took it first.
    package func take(_ key: StoreKey) -> StoredEntry? {
        guard let digest = Digest(key), let folder = opened() else { return nil }
        let own = temporaryName()
        // Under a name of its own, no other process can take it or put another in its place.
        guard unsafe renameat(folder.descriptor, Self.name(of: digest), folder.descriptor, own) == 0 else {
            return nil
        }
        TaskSchedule.pause("between claiming and reading a beginning")
        defer { _ = Self.remove(own, in: folder) }
        // What cannot be read now will not be better later.
        return try? BlobFile.read(own, in: folder, key: digest, limit: byteLimit)
    }

    /// Stores `entry` for `key`, replacing an older part, if possible; blocks while the disk is busy.
    ///
    /// The file appears complete or not at all. A part shorter than ``shortest`` or longer than ``byteLimit``
    /// is not kept.
    package func keep(_ entry: StoredEntry, for key: StoreKey) {
        guard (Self.shortest.bytes...max(byteLimit.bytes, Self.shortest.bytes)).contains(entry.bytes.count),
            countLimit > 0, let digest = Digest(key), let folder = opened(makes: true)
        else { return }
        let temporary = temporaryName()
        do throws(SystemError) {
            let now = Int64(time(nil)) * 1000
            try BlobFile.write(entry, key: digest, createdMilliseconds: now, as: temporary, in: folder)
        } catch {
            // A part that is not kept is only loaded again.
            return
        }
        TaskSchedule.pause("between writing and naming a beginning")
        if unsafe renameat(folder.descriptor, temporary, folder.descriptor, Self.name(of: digest)) != 0 {
            _ = Self.remove(temporary, in: folder)
        }
        trim(folder)
    }

    /// Removes all parts; blocks while the disk is busy.
    public func removeAll() {
        guard let folder = opened() else { return }
        for file in files(in: folder) { _ = Self.remove(file.name, in: folder) }
    }

    /// Removes the parts of all keys of `group`; blocks while the disk is busy.
    public func removeAll(in group: StoreGroup) {
        guard let group = DigestGroup(group), let folder = opened() else { return }
        for file in files(in: folder) where Self.digest(in: file.name).map(group.contains) ?? false {
            _ = Self.remove(file.name, in: folder)
        }
    }

    /// The number of parts, and the size of their files; blocks while the disk is busy.
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
            // Opening the folder shows whether it worked.
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

    private static func name(of digest: Digest) -> String {
        digest.hexadecimal + ending
    }

    private static func digest(in name: String) -> Digest? {
        Hexadecimal.bytes(name.dropLast(ending.count)).map { Digest(bytes: $0) }
    }

    /// Whether the file existed and this call removed it.
    private static func remove(_ name: String, in folder: OpenFile) -> Bool {
        unsafe unlinkat(folder.descriptor, name, 0) == 0
    }
}

/// A file in the folder of partial downloads.
struct PartialFile: Hashable, Sendable {
    let name: String
    let bytes: Int
    /// When it was written, in nanoseconds since 1970 by the file system's clock.
    let modified: Int

    /// Whether it still has a temporary name.
    var isTemporary: Bool { name.hasPrefix(".") }

    /// All plain files of `folder`.
    static func all(in folder: OpenFile) -> [PartialFile] {
        FolderNames.all(in: ".", of: folder).compactMap { PartialFile($0, in: folder) }
    }

    private init?(_ name: String, in folder: OpenFile) {
        var status = stat()
        guard unsafe fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.isKind(S_IFREG)
        else { return nil }
        self.name = name
        bytes = Int(status.st_size)
        modified = status.modifiedTime.tv_sec * 1_000_000_000 + status.modifiedTime.tv_nsec
    }
}
