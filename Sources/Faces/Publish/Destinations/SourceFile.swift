public import CalotypeCore
public import CalotypeHTTP

/// A file at one moment, by which a later change is noticed.
public struct SourceFile: Hashable, Sendable {
    /// Where it is.
    public let path: String
    /// How long it is.
    public let size: ByteCount
    /// When it was last changed, in nanoseconds since 1970.
    public let modified: Int64
    /// The SHA-256 of its bytes, in lower-case hexadecimal.
    public let sha256: String
    /// The MD5 of its bytes, in lower-case hexadecimal, where the destination wants it.
    public let md5: String?

    /// Creates the description of a file.
    public init(path: String, size: ByteCount, modified: Int64, sha256: String, md5: String? = nil) {
        self.path = path
        self.size = size
        self.modified = modified
        self.sha256 = sha256
        self.md5 = md5
    }

    /// The bytes from `offset` on, at most `limit` of them, as the body of a request.
    ///
    /// - Throws: `invalid_request` where the file has no such bytes.
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
