internal import CalotypeDigests
import CalotypeFiles
import CalotypePlatform

/// A file of a shard: its name, length and SHA-256.
struct ShardFile: Hashable, Sendable {
    let name: String
    let bytes: Int
    let sha256: String
}

/// A file of a shard under construction, with a temporary name.
///
/// Its functions block; call them on a file thread.
final class StagedFile {
    private static let bufferBytes = 1 << 20

    private let name: String
    private let file: OpenFile
    private var buffer: [UInt8] = []
    private var digest: DigestStream?
    /// The number of bytes so far.
    private(set) var count = 0

    /// Creates the file that is to be called `name` as `temporary` in `folder`.
    init(_ name: String, as temporary: String, in folder: OpenFile) throws {
        self.name = name
        file = try OpenFile(temporary, in: folder, O_WRONLY | O_CREAT | O_TRUNC)
        digest = try DigestStream(.sha256)
    }

    /// Adds `bytes`.
    func write(_ bytes: [UInt8]) throws {
        count += bytes.count
        if buffer.count + bytes.count > Self.bufferBytes { try flush() }
        if bytes.count > Self.bufferBytes { return try pass(bytes) }
        buffer += bytes
    }

    /// Adds `text`.
    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Waits until the disk has the file.
    func finish() throws -> ShardFile {
        try flush()
        guard Platform.syncData(file.descriptor) == 0 else { throw SystemError("write \(name) to the disk") }
        guard let sum = try digest.take()?.finish() else { preconditionFailure("finished twice") }
        return ShardFile(name: name, bytes: count, sha256: sum.hexadecimal)
    }

    private func flush() throws {
        guard !buffer.isEmpty else { return }
        try pass(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private func pass(_ bytes: [UInt8]) throws {
        try digest?.update(bytes)
        try file.write(bytes)
    }
}
