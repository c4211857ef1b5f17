internal import CalotypeCore
internal import CalotypeHTTP

extension S3Destination {
    /// Lists nothing of the bucket, which finds out whether it is there and the key is good for it.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        let answer = try await S3Client(self, client).send(
            S3Call(
                .get,
                nil,
                .init("list-type", "2"),
                .init("max-keys", "0"),
                .init("prefix", location.prefix)
            )
        )
        let doing = "use the bucket \(location.bucket)"
        _ = try answer.document("ListBucket", doing, otherwise: .none)
        var limits = MediaLimits()
        limits.fileBytes = PartPlan.largestFile(PartPlan.mostParts(answer.answer.headers))
        return limits
    }

    /// Sends a medium to the key that its bytes and its upload make, unless an earlier attempt has brought it there.
    public func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        let upload = S3Upload(medium, session, self)
        try await upload.run()
        return UploadedMedium(id: upload.key, url: try publicURL(of: upload.key).text)
    }

    /// Aborts what is unfinished, and deletes the object, whose key no other upload has.
    @discardableResult
    public func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        guard let memory = state.value(S3UploadState.self) else { return .removed }
        let s3 = S3Client(self, client)
        if let id = memory.upload?.id {
            try await s3.abort(id, of: memory.key)
        } else if memory.isInParts, let upload = try await s3.openUpload(of: memory.key, ByteCount(0)) {
            try await s3.abort(upload.id, of: memory.key)
        }
        try await s3.delete(memory.key)
        return .removed
    }

    /// The key of a medium, the same in all attempts at an upload.
    ///
    /// No other upload has it, even of the same file: what one publication removes may be what another one shows.
    func key(of medium: PreparedMedium, upload: String) -> String {
        let ending = FileExtension.of(medium.type, name: medium.name)
        return "\(location.prefix)media/\(medium.file.sha256)-\(upload).\(ending)"
    }

    /// Where readers find an object.
    func publicURL(of key: String) throws(CalotypeError) -> WebURL {
        guard let publicBase else { return try location.url(key) }
        let base = publicBase.text
        return try WebURL("\(base)\(base.hasSuffix("/") ? "" : "/")\(SigV4Encoding.path(key))")
    }
}

/// One attempt to bring a medium into a bucket.
struct S3Upload: Sendable {
    /// The largest file that is sent in one request.
    ///
    /// It is two parts of the smallest size. Below that, parts would save nothing when the connection breaks that would be
    /// worth the two requests more.
    static let singleLimit = ByteCount.mebibytes(16)

    let s3: S3Client
    let medium: PreparedMedium
    let session: UploadSession
    let key: String

    init(_ medium: PreparedMedium, _ session: UploadSession, _ destination: S3Destination) {
        s3 = S3Client(destination, session.client)
        self.medium = medium
        self.session = session
        key = destination.key(of: medium, upload: session.key)
    }

    /// What earlier attempts remembered of this file.
    var memory: S3UploadState? {
        session.state.value(S3UploadState.self).flatMap { $0.key == key ? $0 : nil }
    }

    /// What is remembered before the first request that may leave something.
    func newState(isInParts: Bool) -> S3UploadState {
        S3UploadState(key: key, isInParts: isInParts)
    }

    /// Sends what the bucket does not have yet.
    func run() async throws {
        let size = medium.file.size
        if try await s3.size(of: key) == size {
            // The answer to the last request of an earlier attempt was lost; that attempt may be forgotten, too.
            if memory == nil { try await session.remember(newState(isInParts: false)) }
            return session.acknowledge(size)
        }
        if size <= Self.singleLimit {
            if memory == nil { try await session.remember(newState(isInParts: false)) }
            try await s3.put(medium.file, medium.type, key, session)
            session.acknowledge(size)
        } else {
            try await MultipartUpload(self).run()
        }
    }
}

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
