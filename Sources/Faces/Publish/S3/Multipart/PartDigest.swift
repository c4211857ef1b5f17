internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeHTTP

/// The MD5 of a part.
struct PartDigest: Hashable, Sendable {
    let digest: Digest

    var hexadecimal: String { digest.hexadecimal }
    var tag: ObjectTag { ObjectTag(digest) }

    /// Reads the part, block by block; it belongs on a thread that may block.
    ///
    /// - Throws: `file_not_readable`; `source_changed`; `CancellationError`.
    init(of body: HTTPBody) throws {
        let reader = try BodyReader(body)
        var position = BodyReader.Position()
        var stream = try DigestStream(.md5)
        while let block = try reader.read(at: &position) {
            try Task.checkCancellation()
            try stream.update(block)
        }
        digest = try stream.finish()
    }

    /// The SHA-256 of bytes in memory, in lower-case hexadecimal.
    static func sha256(_ bytes: [UInt8]) throws -> String {
        try Digest(.sha256, of: bytes).hexadecimal
    }
}
