/// What is remembered of an upload to S3.
struct S3UploadState: Hashable, Sendable, Codable {
    /// The object, which no other upload has.
    let key: String
    /// Whether it is sent in parts.
    let isInParts: Bool
    /// The multipart upload, once the server has told.
    var upload: Multipart?

    /// A multipart upload that the server knows.
    struct Multipart: Hashable, Sendable, Codable {
        /// The server's name for it.
        let id: String
        /// The size of its parts in bytes.
        let partBytes: Int
        /// Whether the tags of its parts say nothing of their bytes.
        let hasOpaqueTags: Bool
    }
}
