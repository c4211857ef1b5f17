internal import CalotypeCore
internal import CalotypeHTTP

extension S3Client {
    /// Begins a multipart upload of a file of `size`.
    func create(
        _ key: String,
        _ type: MediaType,
        _ size: ByteCount
    ) async throws -> S3UploadState.Multipart {
        var call = S3Call(.post, key, .init("uploads"))
        call.headers = [try .init("Content-Type", type.name)]
        let doing = "begin the upload"
        let answer = try await send(call)
        let document = try answer.document("InitiateMultipartUpload", doing)
        guard let id = document["UploadId"], !id.isEmpty else { throw answer.failure(doing) }
        return try Self.upload(id, size, answer)
    }

    /// The upload of an object that was begun last and not finished, as when the answer to its beginning was lost.
    ///
    /// - Returns: `nil` where there is none, or the server never tells.
    func openUpload(of key: String, _ size: ByteCount) async throws -> S3UploadState.Multipart? {
        let doing = "ask for unfinished uploads"
        let answer = try await send(S3Call(.get, nil, .init("uploads"), .init("prefix", key)))
        if !answer.isSuccess, answer.failure(doing).remedy == .none { return nil }
        let document = try answer.document("ListMultipartUploads", doing)
        let upload = document.all("Upload").last { $0["Key"] == key }
        return try upload?["UploadId"].map { try Self.upload($0, size, answer) }
    }

    private static func upload(
        _ id: String,
        _ size: ByteCount,
        _ answer: S3Answer
    ) throws -> S3UploadState.Multipart {
        let headers = answer.answer.headers
        let plan = try PartPlan(size: size, mostParts: PartPlan.mostParts(headers))
        return S3UploadState.Multipart(
            id: id,
            partBytes: plan.partSize.bytes,
            hasOpaqueTags: ObjectTag.isOpaque(headers)
        )
    }

    /// The parts that the server has, by number.
    ///
    /// - Throws: `PublishFailure` to start over where it does not know the upload.
    func parts(_ id: String, of key: String) async throws -> [Int: PartListing.Part] {
        var parts: [Int: PartListing.Part] = [:]
        var marker = 0
        while true {
            let answer = try await send(
                S3Call(
                    .get,
                    key,
                    .init("uploadId", id),
                    .init("max-parts", "1000"),
                    .init("part-number-marker", "\(marker)")
                )
            )
            let page = PartListing(try answer.document("ListParts", "ask which parts are there"))
            for part in page.parts { parts[part.number] = part }
            // A server that names the same page again would be asked for ever.
            guard let next = page.next, next > marker else { return parts }
            marker = next
        }
    }

    /// Sends a part and returns its tag.
    func put(
        _ part: PartPlan.Part,
        of file: SourceFile,
        digest: PartDigest,
        to key: String,
        _ id: String,
        progress: SendProgress
    ) async throws -> ObjectTag {
        var call = S3Call(.put, key, .init("partNumber", "\(part.number)"), .init("uploadId", id))
        // The signature covers the MD5, and the MD5 the bytes: a second digest of each part would tell nothing more.
        call.headers = [try .init("Content-MD5", try Self.base64(digest.hexadecimal))]
        call.payload = .unsigned
        call.body = try file.body(from: part.offset, limit: part.size)
        call.progress = progress
        let answer = try await send(call)
        guard answer.isSuccess else { throw answer.failure("send part \(part.number)") }
        try Self.check(answer, digest.tag)
        return answer.answer.headers["ETag"].map { ObjectTag($0) } ?? digest.tag
    }

    /// Puts the object together from its parts.
    func complete(_ id: String, of key: String, _ tags: [ObjectTag]) async throws -> S3Answer {
        var call = S3Call(.post, key, .init("uploadId", id))
        let body = CompleteDocument.bytes(tags)
        call.headers = [try .init("Content-Type", "application/xml")]
        call.body = HTTPBody(body)
        call.payload = .sha256(try PartDigest.sha256(body))
        call.isSlow = true
        return try await send(call)
    }

    /// Lets the server forget the parts; that it knows no such upload is as good.
    func abort(_ id: String, of key: String) async throws {
        let answer = try await send(S3Call(.delete, key, .init("uploadId", id)))
        guard answer.isSuccess || answer.status == 404 else { throw answer.failure("abort the upload") }
    }
}
