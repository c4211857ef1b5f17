internal import CalotypeDigests
import CalotypeFiles
import CalotypePlatform

/// A folder of plain files.
struct FolderShard: ShardForm {
    private let staging: ShardStaging
    private let folder: OpenFile
    private let digest: Digesting
    private var bytes = 0

    /// A digest in a class, because a protocol's values are copied.
    private final class Digesting {
        var stream: DigestStream?

        init() throws(DigestError) { stream = try DigestStream(.sha256) }
    }

    init(_ staging: ShardStaging) throws {
        self.staging = staging
        let name = staging.temporary(staging.name)
        guard unsafe mkdirat(staging.folder.work.descriptor, name, 0o777) == 0 || errno == EEXIST else {
            throw SystemError("create the folder \(staging.name)")
        }
        folder = try OpenFile(name, in: staging.folder.work, O_RDONLY | O_DIRECTORY)
        digest = try Digesting()
    }

    mutating func add(_ sample: Sample, key: String, pictures: [[UInt8]]) throws {
        for (ending, picture) in zip(staging.schema.endings(staging.ending), pictures) {
            try write(picture, "\(key).\(ending)")
        }
        try write(Array(staging.schema.json(of: sample, key: key).utf8), "\(key).json")
        if staging.schema.hasCaption {
            try write(Array((staging.schema.caption(of: sample) ?? "").utf8), "\(key).txt")
        }
    }

    mutating func finish() throws -> [ShardFile] {
        // One call for all files, and for their names.
        try folder.syncFileSystem()
        guard let sum = try digest.stream.take()?.finish() else { preconditionFailure("finished twice") }
        return [ShardFile(name: staging.name, bytes: bytes, sha256: sum.hexadecimal)]
    }

    private mutating func write(_ content: [UInt8], _ name: String) throws {
        try OpenFile(name, in: folder, O_WRONLY | O_CREAT | O_TRUNC).write(content)
        try digest.stream?.update(Array(name.utf8))
        try digest.stream?.update(content)
        bytes += content.count
    }
}
