public import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
public import CalotypeHTTP
internal import CalotypePlatform

/// A file's state at one moment, to detect later changes.
public struct SourceFile: Hashable, Sendable {
    /// The path.
    public let path: String
    /// The size.
    public let size: ByteCount
    /// The modification time, in nanoseconds since 1970.
    public let modified: Int64
    /// The SHA-256 of its bytes, in lower-case hexadecimal.
    public let sha256: String
    /// The MD5 of its bytes, in lower-case hexadecimal, if the destination needs it.
    public let md5: String?

    /// Creates the description of a file.
    public init(path: String, size: ByteCount, modified: Int64, sha256: String, md5: String? = nil) {
        self.path = path
        self.size = size
        self.modified = modified
        self.sha256 = sha256
        self.md5 = md5
    }

    /// Returns the bytes from `offset` on, at most `limit` of them, as the body of a request.
    ///
    /// - Throws: `invalid_request` if the file has no such bytes.
    public func body(
        from offset: ByteCount = ByteCount(0),
        limit: ByteCount? = nil
    ) throws(CalotypeError) -> HTTPBody {
        let rest = ByteCount(size.bytes - offset.bytes)
        return try HTTPBody(
            FileRange(path: path, offset: offset, length: limit.map { min($0, rest) } ?? rest)
        )
    }
}

/// A file's current state and type.
///
/// The initializer reads the file block by block, and blocks the thread.
struct FileInspection {
    private static let block = 256 << 10

    let file: SourceFile
    let type: MediaType

    /// Reads the file at `path`.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - needsMD5: Whether to compute its MD5 too.
    /// - Throws: `file_not_readable` if the file is missing, empty or unreadable, or is not a regular file;
    ///   `source_changed` if it changes while it is being read; `CancellationError`.
    init(_ path: String, needsMD5: Bool = false) throws {
        do {
            let opened = try OpenFile(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
            let before = try opened.status()
            guard before.isKind(S_IFREG) else { throw Self.unreadable(path, "it is not a file") }
            guard before.st_size > 0 else { throw Self.unreadable(path, "it is empty") }
            let start = try opened.read(MediaSniffer.length, at: 0)
            let (sha256, md5) = try Self.digests(of: opened, needsMD5: needsMD5)
            guard try opened.status().isUnchanged(since: before) else { throw Self.changed(path) }
            type = MediaSniffer.type(of: start)
            file = SourceFile(
                path: path,
                size: ByteCount(Int(before.st_size)),
                modified: before.modified,
                sha256: sha256,
                md5: md5
            )
        } catch let error as SystemError {
            throw Self.unreadable(path, "\(error)")
        }
    }

    private static func digests(of file: OpenFile, needsMD5: Bool) throws -> (sha256: String, md5: String?) {
        var sha256 = try DigestStream(.sha256)
        var md5 = needsMD5 ? try DigestStream(.md5) : nil
        var offset = 0
        while case let bytes = try file.read(block, at: offset), !bytes.isEmpty {
            try Task.checkCancellation()
            try sha256.update(bytes)
            try md5?.update(bytes)
            offset += bytes.count
        }
        return (try sha256.finish().hexadecimal, try md5?.finish().hexadecimal)
    }

    static func changed(_ path: String) -> CalotypeError {
        CalotypeError(
            .sourceChanged,
            "\(path) changed since the publication began; publish it again with --again",
            stage: .request
        )
    }

    private static func unreadable(_ path: String, _ why: String) -> CalotypeError {
        CalotypeError(.fileNotReadable, "cannot send \(path): \(why)", stage: .request)
    }
}

extension SourceFile {
    /// Throws `source_changed` if the file's size or modification time has changed; blocks.
    func checkUnchanged() throws(CalotypeError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_size == size.bytes, status.modified == modified
        else {
            throw FileInspection.changed(path)
        }
    }
}

extension stat {
    fileprivate var modified: Int64 {
        Int64(modifiedTime.tv_sec) * 1_000_000_000 + Int64(modifiedTime.tv_nsec)
    }

    fileprivate func isUnchanged(since before: stat) -> Bool {
        st_size == before.st_size && modified == before.modified
    }
}
