internal import CalotypeCore
internal import CalotypeHTTP

extension S3Destination {
    /// Puts the manifest, whose name is the post's key: whoever puts it again puts the same.
    ///
    /// It is put only where there is none, if the server knows how, so that those who watch the bucket see one post come, once.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        let key = "\(location.prefix)posts/\(session.key).json"
        let s3 = S3Client(self, session.client)
        let isThere = session.mayHaveBeenSent ? try await s3.size(of: key) != nil : false
        if !isThere {
            // The same bytes each time for the same post.
            let manifest = DraftDocument(draft, key: session.key, S3ManifestMedium.init)
            try await s3.putManifest(try JSONLine.bytes(manifest), key)
        }
        return PublishedPost(id: key, url: try publicURL(of: key).text, media: draft.media.map(\.uploaded))
    }
}

extension S3Client {
    /// Stores a manifest unless there is one.
    fileprivate func putManifest(_ bytes: [UInt8], _ key: String) async throws {
        var call = S3Call(.put, key)
        let digest = try PartDigest(of: HTTPBody(bytes))
        call.headers = [
            .init("Content-Type", "application/json"),
            .init("Content-MD5", try Self.base64(digest.hexadecimal)),
        ]
        call.body = HTTPBody(bytes)
        call.payload = .sha256(try PartDigest.sha256(bytes))
        var careful = call
        careful.headers.append(.init("If-None-Match", "*"))
        var answer = try await send(careful)
        if answer.status == 501 { answer = try await send(call) }
        // 412: it is there already, from an attempt whose answer was lost.
        guard answer.isSuccess || answer.status == 412 else { throw answer.failureOfManifest() }
        // With another tag, too, there is a manifest now.
        if answer.isSuccess { try Self.check(answer, digest.tag, otherwise: .settle) }
    }
}

extension S3Answer {
    /// What the answer to a manifest means where it is no success: unless the server is sure that it has not stored it, find out.
    fileprivate func failureOfManifest() -> PublishError {
        let failure = failure("store the post")
        let told = report?.remedy(after: answer.retryAfter)
        let isOpen = told.map { $0 == .retry } ?? (answer.isSuccess || status == 408 || status >= 500)
        return isOpen ? PublishError(failure.error, .settle) : failure
    }
}

/// A medium of a post whose manifest lies in the same bucket.
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
