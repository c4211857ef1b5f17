internal import CalotypeCPOSIX
public import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// A folder whose files may be sources.
///
/// Files are opened step by step from the folder, so that neither `..` nor a symbolic link nor a concurrent
/// rename can lead out of it.
public final class LocalRoot: Sendable {
    private let folder: OpenFile
    private let usesOneCall: Bool

    /// Opens the folder at `path`, which may itself be a symbolic link.
    ///
    /// - Throws: `file_not_readable`.
    public convenience init(_ path: String) throws(CalotypeError) {
        try self.init(path, usesOneCall: true)
    }

    /// Opens the folder; without `usesOneCall`, behaves as on a kernel without openat2.
    init(_ path: String, usesOneCall: Bool) throws(CalotypeError) {
        self.usesOneCall = usesOneCall
        do throws(SystemError) {
            folder = try OpenFile(path, O_RDONLY | O_DIRECTORY)
        } catch {
            throw CalotypeError(
                .fileNotReadable,
                "the folder for local sources cannot be opened: \(error)",
                stage: .request,
                cause: error
            )
        }
    }

    /// Opens the file at `path`; may block on the file system.
    ///
    /// - Throws: `file_not_readable`, also if the path is not a regular file.
    public func open(_ path: LocalPath) throws(CalotypeError) -> LocalFile {
        do throws(SystemError) {
            let file = try usesOneCall ? openAtOnce(path) : openStepwise(path)
            let status = try file.status()
            guard status.isKind(S_IFREG) else {
                throw SystemError("open it, because it is not a regular file", code: EINVAL)
            }
            return LocalFile(path, file, status)
        } catch {
            // The message does not distinguish a path outside the folder from a missing file.
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
        if descriptor >= 0 { return try OpenFile(opened: descriptor, "open the file") }
        // Some sandboxes return EPERM for calls that they do not know.
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

/// An open file below the root.
public final class LocalFile: Sendable {
    /// The length in bytes when it was opened.
    public let byteCount: ByteCount
    /// When the file was last modified, in seconds since 1970.
    public let modified: Int
    /// Identifies this version of the file; another version has another identifier.
    public let version: String
    private let path: LocalPath
    private let file: OpenFile

    init(_ path: LocalPath, _ file: OpenFile, _ status: stat) {
        self.path = path
        self.file = file
        byteCount = ByteCount(Int(status.st_size))
        modified = status.modifiedTime.tv_sec
        let times = [status.modifiedTime, status.changedTime].map { "\($0.tv_sec).\($0.tv_nsec)" }
        version = "\(status.st_dev)-\(status.st_ino)-\(times[0])-\(times[1])-\(status.st_size)"
    }

    /// Returns the file as a source, whose bytes are read on `executor` when they are needed.
    ///
    /// - Parameters:
    ///   - executor: An executor whose threads may wait for a disk.
    ///   - limits: The limits; `sourceBytes` applies to the file.
    /// - Returns: The source, which keeps the file open.
    public func source(on executor: any TaskExecutor, limits: ImageLimits) -> ImageSource {
        .provided(
            ImageProvider(id: "local:///\(path.text) \(version)") {
                try await executor.run { try self.read(most: limits.sourceBytes) }
            }
        )
    }

    /// Reads the whole file.
    ///
    /// - Throws: `too_many_bytes`; `source_changed` if the file became shorter; `file_not_readable`.
    public func read(most: ByteCount) throws(CalotypeError) -> [UInt8] {
        try check(most)
        return try read(byteCount.bytes, at: 0)
    }

    /// Throws `too_many_bytes` if the file is larger than `most`.
    func check(_ most: ByteCount) throws(CalotypeError) {
        guard byteCount.bytes > most.bytes else { return }
        throw CalotypeError(.tooManyBytes, "the file has \(byteCount), more than \(most)", stage: .body)
    }

    /// Reads at most `count` bytes from `start`, and none after ``byteCount``; may block on the file system.
    ///
    /// - Throws: `source_changed` if the file became shorter; `file_not_readable`.
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

    /// Passes the whole file to `take` piece by piece; each piece follows after `take` has returned.
    ///
    /// - Throws: The errors of ``read(_:at:)``, and any error from `take`.
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
