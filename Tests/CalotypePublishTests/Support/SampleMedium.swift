import CalotypeCore
import CalotypeDigests
import CalotypePlatform
import FoundationEssentials
import TaskFlow

@testable import CalotypePublish

extension SourceFile {
    /// Writes `bytes` to `path` and describes the file.
    static func writing(_ bytes: [UInt8], to path: String) throws -> SourceFile {
        try Data(bytes).write(to: URL(filePath: path))
        var status = stat()
        unsafe stat(path, &status)
        return SourceFile(
            path: path,
            size: ByteCount(bytes.count),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
            sha256: try Digest(.sha256, of: bytes).hexadecimal,
            md5: try Digest(.md5, of: bytes).hexadecimal
        )
    }
}

/// Bytes that look like noise, always the same for a seed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    // Eight bytes at a time: one by one, 17 MB take seconds where the compiler does not optimise.
    let words = (0..<(count + 7) / 8).map { _ in random.next().littleEndian }
    return unsafe words.withUnsafeBytes { unsafe Array($0.prefix(count)) }
}

/// A medium of noise in a file of `folder`.
func sampleMedium(
    _ count: Int,
    in folder: String,
    name: String = "photo.jpg",
    type: String = "image/jpeg",
    position: Int = 0,
    altText: String? = nil
) throws -> PreparedMedium {
    PreparedMedium(
        position: position,
        name: name,
        file: try .writing(noise(count, seed: UInt64(position + 1)), to: "\(folder)/\(position)"),
        type: MediaType(type),
        altText: altText
    )
}
