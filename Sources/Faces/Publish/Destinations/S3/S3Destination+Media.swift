internal import CalotypeCore
internal import CalotypeHTTP

extension S3Destination {
    /// Requests an empty listing, which shows whether the bucket exists and the key has access to it.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        let response = try await S3Client(self, client).send(
            S3Call(
                .get,
                nil,
                .init("list-type", "2"),
                .init("max-keys", "0"),
                .init("prefix", location.prefix)
            )
        )
        let doing = "use the bucket \(location.bucket)"
        _ = try response.document("ListBucket", doing, otherwise: .none)
        var limits = MediaLimits()
        limits.fileBytes = PartPlan.largestFile(PartPlan.mostParts(response.response.headers))
        return limits
    }

    /// Uploads a medium under its own key, unless an earlier attempt has done so.
    public func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        let upload = S3Upload(medium, session, self)
        try await upload.run()
        return UploadedMedium(id: upload.key, url: try publicURL(of: upload.key).text)
    }

    /// Aborts an unfinished upload, and deletes the object, whose key no other upload uses.
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

    /// Returns the key of a medium, which is the same in all attempts at an upload.
    ///
    /// No other upload has this key, not even one of the same file: otherwise, removing one publication could
    /// remove what another one shows.
    func key(of medium: PreparedMedium, upload: String) -> String {
        let ending = FileExtension.of(medium.type, name: medium.name)
        return "\(location.prefix)media/\(medium.file.sha256)-\(upload).\(ending)"
    }

    /// Returns the URL at which readers find an object.
    func publicURL(of key: String) throws(CalotypeError) -> WebURL {
        guard let publicBase else { return try location.url(key) }
        let base = publicBase.text
        return try WebURL("\(base)\(base.hasSuffix("/") ? "" : "/")\(SigV4Encoding.path(key))")
    }
}

/// One attempt to upload a medium to a bucket.
struct S3Upload: Sendable {
    /// The maximum size of a file that is sent in one request.
    ///
    /// It is twice the minimum size of a part. Below that, the loss that parts would save after an
    /// interruption is not worth two more requests.
    static let singleLimit = ByteCount.mebibytes(16)

    let s3: S3Client
    let file: SourceFile
    let type: MediaType
    let session: UploadSession
    let key: String
    /// What is sent with the object.
    var object = S3ObjectFields()

    init(_ medium: PreparedMedium, _ session: UploadSession, _ destination: S3Destination) {
        s3 = S3Client(destination, session.client)
        file = medium.file
        type = medium.type
        self.session = session
        key = destination.key(of: medium, upload: session.key)
    }

    init(_ inspected: FileInspection, _ s3: S3Client, _ session: UploadSession, _ object: S3ObjectFields) {
        self.s3 = s3
        file = inspected.file
        type = inspected.type
        self.session = session
        key = session.key
        self.object = object
    }

    /// The state that earlier attempts stored for this file.
    var memory: S3UploadState? {
        session.state.value(S3UploadState.self).flatMap { $0.key == key ? $0 : nil }
    }

    /// Returns the state to store before the first request that may leave something on the server.
    func newState(isInParts: Bool) -> S3UploadState {
        S3UploadState(key: key, isInParts: isInParts)
    }

    /// Sends what the bucket does not have yet.
    func run() async throws {
        let size = file.size
        if try await s3.size(of: key) == size {
            // The response to an earlier attempt's last request was lost, and maybe the attempt's state, too.
            if memory == nil { try await session.remember(newState(isInParts: false)) }
            return session.acknowledge(size)
        }
        try await send()
    }

    /// Sends the file, in parts if it is large.
    func send() async throws {
        guard file.size <= Self.singleLimit else { return try await MultipartUpload(self).run() }
        if memory == nil { try await session.remember(newState(isInParts: false)) }
        try await s3.put(file, type, key, object, session)
        session.acknowledge(file.size)
    }
}

/// What is sent with a new object, besides its bytes.
struct S3ObjectFields: Sendable {
    /// The SHA-256 of its bytes, which becomes part of its metadata; `nil` for none.
    var sha256: String?
    /// Whether to store the object only if there is none with its key.
    var isOnlyIfNew = false

    /// The name of the field with the SHA-256.
    static let sha256Name = "x-amz-meta-sha256"

    var headers: [HeaderField] { sha256.map { [.init(Self.sha256Name, $0)] } ?? [] }
}

/// The stored state of an upload to S3.
struct S3UploadState: Hashable, Sendable, Codable {
    /// The object's key, which no other upload uses.
    let key: String
    /// Whether the file is sent in parts.
    let isInParts: Bool
    /// The multipart upload, once the server has reported its ID.
    var upload: Multipart?

    /// A multipart upload on the server.
    struct Multipart: Hashable, Sendable, Codable {
        /// The server's ID for the upload.
        let id: String
        /// The size of its parts in bytes.
        let partBytes: Int
        /// Whether the tags of its parts are unrelated to their bytes.
        let hasOpaqueTags: Bool
    }
}
