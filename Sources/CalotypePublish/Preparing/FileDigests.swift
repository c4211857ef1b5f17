internal import Digests

/// The digests of a file in the making.
struct FileDigests: ~Copyable {
    private var sha256: DigestStream
    private var md5: DigestStream

    init() throws(DigestError) {
        // Both before either is kept: a value that cannot be copied is not half made.
        let sha256 = try DigestStream(.sha256)
        let md5 = try DigestStream(.md5)
        self.sha256 = sha256
        self.md5 = md5
    }

    mutating func update(_ bytes: [UInt8]) throws(DigestError) {
        try sha256.update(bytes)
        try md5.update(bytes)
    }

    consuming func finish() throws(DigestError) -> (sha256: String, md5: String) {
        (try sha256.finish().hexadecimal, try md5.finish().hexadecimal)
    }
}
