public import CalotypeCore
internal import Glibc
internal import TaskFlow

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
    ///   - limits: Their ``ImageLimits/sourceBytes`` bound what is read.
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
