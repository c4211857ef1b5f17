internal import CalotypeCore
internal import CalotypeHTTP

/// What a server tells of an object.
struct S3Object: Hashable, Sendable {
    /// The field of an object that tells which upload made it.
    static let ownerField = "x-amz-meta-calotype-upload"

    /// How long it is.
    let size: ByteCount
    /// Its entity tag; `nil` where the server tells none.
    let tag: ObjectTag?
    /// The key of the upload that made it; `nil` for another's object.
    let owner: String?

    /// - Returns: `nil` where the length is not told.
    init?(_ headers: HTTPHeaders) {
        guard let size = headers["Content-Length"].flatMap({ Int($0) }), size >= 0 else { return nil }
        self.size = ByteCount(size)
        tag = headers["ETag"].map { ObjectTag($0) }
        owner = headers[Self.ownerField]
    }
}
