internal import CalotypeCPOSIX
public import CalotypeCore
import CalotypeFiles
internal import Glibc
internal import TaskFlow

/// A folder whose files may be sources.
///
/// Files are opened from the folder downwards: neither `..` nor a symbolic link, nor anything that is renamed
/// meanwhile, leads out of it.
public final class LocalRoot: Sendable {
    private let folder: OpenFile
    private let usesOneCall: Bool

    /// Opens the folder at `path`, which may be a symbolic link itself.
    ///
    /// - Throws: `file_not_readable`.
    public convenience init(_ path: String) throws(CalotypeError) {
        try self.init(path, usesOneCall: true)
    }

    /// Opens the folder; without `usesOneCall` as on a kernel without openat2.
    init(_ path: String, usesOneCall: Bool) throws(CalotypeError) {
        self.usesOneCall = usesOneCall
        do throws(SystemError) {
            folder = try OpenFile(path, O_RDONLY | O_DIRECTORY)
        } catch {
            throw CalotypeError(
                .fileNotReadable,
                "the folder of local sources cannot be opened: \(error)",
                stage: .request,
                cause: error
            )
        }
    }

    /// Opens the file at `path`; it may block as file systems do.
    ///
    /// - Throws: `file_not_readable`, also for what is no regular file.
    public func open(_ path: LocalPath) throws(CalotypeError) -> LocalFile {
        do throws(SystemError) {
            let file = try usesOneCall ? openAtOnce(path) : openStepwise(path)
            let status = try file.status()
            guard status.isKind(S_IFREG) else {
                throw SystemError("open it, for it is no file", code: EINVAL)
            }
            return LocalFile(path, file, status)
        } catch {
            // What lies outside, and what is not there, look the same.
            throw CalotypeError(
                .fileNotReadable,
                "the local source cannot be read: \(error.reason)",
                stage: .request,
                cause: error
            )
        }
    }

    private func openAtOnce(_ path: LocalPath) throws(SystemError) -> OpenFile {
        let descriptor = unsafe calotype_open_beneath(folder.descriptor, path.text)
        if descriptor >= 0 { return OpenFile(descriptor: descriptor) }
        // Some sandboxes say EPERM to calls that they do not know.
        guard errno == ENOSYS || errno == EPERM else { throw SystemError("open the file") }
        return try openStepwise(path)
    }

    private func openStepwise(_ path: LocalPath) throws(SystemError) -> OpenFile {
        var place = folder
        for name in path.components.dropLast() {
            place = try OpenFile(name, in: place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        }
        return try OpenFile(
            path.components[path.components.count - 1],
            in: place,
            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        )
    }
}

/// An open file below a root.
public final class LocalFile: Sendable {
    /// The length in bytes when it was opened.
    public let byteCount: ByteCount
    /// When it was changed last, in seconds since 1970.
    public let modified: Int
    /// Names this version of the file: another one has another name.
    public let version: String
    private let path: LocalPath
    private let file: OpenFile

    init(_ path: LocalPath, _ file: OpenFile, _ status: stat) {
        self.path = path
        self.file = file
        byteCount = ByteCount(Int(status.st_size))
        modified = status.st_mtim.tv_sec
        let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
        version = "\(status.st_dev)-\(status.st_ino)-\(times[0])-\(times[1])-\(status.st_size)"
    }

    /// The file as a source, whose bytes are read on `executor` when they are wanted.
    ///
    /// - Parameters:
    ///   - executor: Whose threads may wait for a disk.
    ///   - limits: Limit how much is read, by `sourceBytes`.
    /// - Returns: The source; the file stays open as long as it is held.
    public func source(on executor: any TaskExecutor, limits: ImageLimits) -> ImageSource {
        .provided(
            ImageProvider(id: "local:///\(path.text) \(version)") {
                try await executor.run { try self.read(most: limits.sourceBytes) }
            }
        )
    }

    /// All of the file.
    ///
    /// - Throws: `too_many_bytes`; `source_changed` where it became shorter; `file_not_readable`.
    public func read(most: ByteCount) throws(CalotypeError) -> [UInt8] {
        try check(most)
        return try read(byteCount.bytes, at: 0)
    }

    /// Throws `too_many_bytes` where the file has more than `most`.
    func check(_ most: ByteCount) throws(CalotypeError) {
        guard byteCount.bytes > most.bytes else { return }
        throw CalotypeError(.tooManyBytes, "the file has \(byteCount), more than \(most)", stage: .body)
    }

    /// At most `count` bytes from `start` on, none behind ``byteCount``; it may block as file systems do.
    ///
    /// - Throws: `source_changed` where it became shorter; `file_not_readable`.
    func read(_ count: Int, at start: Int) throws(CalotypeError) -> [UInt8] {
        let count = min(count, byteCount.bytes - start)
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try file.read(count, at: start)
        } catch {
            throw CalotypeError(
                .fileNotReadable,
                "cannot read the file: \(error.reason)",
                stage: .body,
                cause: error
            )
        }
        guard bytes.count == count else {
            throw CalotypeError(.sourceChanged, "the file became shorter while it was read", stage: .body)
        }
        return bytes
    }

    /// Gives all of it to `take`, piece by piece; the next one when `take` has returned.
    ///
    /// - Throws: As ``read(_:at:)``; what `take` throws.
    func pass(on disk: any TaskExecutor, _ take: ([UInt8]) async throws -> Void) async throws {
        var done = 0
        while done < byteCount.bytes {
            let piece = try await disk.run { [done] in try self.read(Self.pieceBytes, at: done) }
            done += piece.count
            try await take(piece)
        }
    }

    private static let pieceBytes = 64 << 10
}
