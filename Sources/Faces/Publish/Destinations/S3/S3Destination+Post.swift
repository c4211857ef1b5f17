internal import CalotypeCore
internal import CalotypeHTTP

extension S3Destination {
    /// Stores the manifest under the post's key; storing it again has the same result.
    ///
    /// If the server supports it, the manifest is stored only if there is none. An observer of the bucket
    /// then sees the post appear exactly once.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        let key = "\(location.prefix)posts/\(session.key).json"
        let s3 = S3Client(self, session.client)
        let isThere = session.mayHaveBeenSent ? try await s3.size(of: key) != nil : false
        if !isThere {
            // The bytes are the same each time for the same post.
            let manifest = DraftDocument(draft, key: session.key, S3ManifestMedium.init)
            try await s3.putManifest(try JSONLine.bytes(manifest), key)
        }
        return PublishedPost(id: key, url: try publicURL(of: key).text, media: draft.media.map(\.uploaded))
    }
}

extension S3Client {
    /// Stores a manifest unless one exists.
    fileprivate func putManifest(_ bytes: [UInt8], _ key: String) async throws {
        var call = S3Call(.put, key)
        let digest = try PartDigest(of: HTTPBody(bytes))
        call.headers = [
            .init("Content-Type", "application/json"),
            .init("Content-MD5", try Self.base64(digest.hexadecimal)),
        ]
        call.body = HTTPBody(bytes)
        call.payload = .sha256(try PartDigest.sha256(bytes))
        let response = try await sendIfNew(call)
        // 412: an earlier attempt, whose response was lost, has stored the manifest.
        guard response.isSuccess || response.status == 412 else { throw response.failureOfManifest() }
        // Even if the tag differs, a manifest now exists.
        if response.isSuccess { try Self.check(response, digest.tag, otherwise: .settle) }
    }
}

extension S3Response {
    /// Returns the failure for an unsuccessful response to a manifest.
    ///
    /// Unless the server is certain that it has not stored the manifest, the remedy is to find out.
    fileprivate func failureOfManifest() -> PublishError {
        let failure = failure("store the post")
        let told = report?.remedy(after: response.retryAfter)
        let isOpen = told.map { $0 == .retry } ?? (response.isSuccess || status == 408 || status >= 500)
        return isOpen ? PublishError(failure.error, .settle) : failure
    }
}

/// A medium of a post whose manifest is in the same bucket.
struct S3ManifestMedium: Encodable {
    private enum Key: CodingKey {
        case key, url, focus
    }

    private let medium: PostDraft.Medium

    init(_ medium: PostDraft.Medium) {
        self.medium = medium
    }

    func encode(to encoder: any Encoder) throws {
        try MediumFacts(medium.medium).encode(to: encoder)
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(medium.uploaded.id, forKey: .key)
        try values.encodeIfPresent(medium.uploaded.url, forKey: .url)
        try values.encodeIfPresent(medium.medium.focus, forKey: .focus)
    }
}
