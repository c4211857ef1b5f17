internal import CalotypeCore

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
