internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeHTTP

extension S3Client {
    /// Begins a multipart upload for a file of `size`.
    func create(
        _ key: String,
        _ type: MediaType,
        _ size: ByteCount,
        _ object: S3ObjectFields
    ) async throws -> S3UploadState.Multipart {
        var call = S3Call(.post, key, .init("uploads"))
        call.headers = [.init("Content-Type", type.name)] + object.headers
        let doing = "start the upload"
        let response = try await send(call)
        let document = try response.document("InitiateMultipartUpload", doing)
        guard let id = document["UploadId"], !id.isEmpty else { throw response.failure(doing) }
        return try Self.upload(id, size, response)
    }

    /// Returns the latest unfinished upload of an object, for example after its first response was lost.
    ///
    /// - Returns: `nil` if there is none, or the server cannot list uploads.
    func openUpload(of key: String, _ size: ByteCount) async throws -> S3UploadState.Multipart? {
        let doing = "list unfinished uploads"
        let response = try await send(S3Call(.get, nil, .init("uploads"), .init("prefix", key)))
        if !response.isSuccess, response.failure(doing).remedy == .none { return nil }
        let document = try response.document("ListMultipartUploads", doing)
        let upload = document.all("Upload").last { $0["Key"] == key }
        return try upload?["UploadId"].map { try Self.upload($0, size, response) }
    }

    private static func upload(
        _ id: String,
        _ size: ByteCount,
        _ response: S3Response
    ) throws -> S3UploadState.Multipart {
        let headers = response.response.headers
        let plan = try PartPlan(size: size, mostParts: PartPlan.mostParts(headers))
        return S3UploadState.Multipart(
            id: id,
            partBytes: plan.partSize.bytes,
            hasOpaqueTags: ObjectTag.isOpaque(headers)
        )
    }

    /// Returns the parts that the server has, by number.
    ///
    /// - Throws: `PublishError` with the remedy to start over if the server does not have the upload.
    func parts(_ id: String, of key: String) async throws -> [Int: PartListing.Part] {
        var parts: [Int: PartListing.Part] = [:]
        var marker = 0
        while true {
            let response = try await send(
                S3Call(
                    .get,
                    key,
                    .init("uploadId", id),
                    .init("max-parts", "1000"),
                    .init("part-number-marker", "\(marker)")
                )
            )
            let page = PartListing(try response.document("ListParts", "list the uploaded parts"))
            for part in page.parts { parts[part.number] = part }
            // If a server repeated the same page, the loop would never end.
            guard let next = page.next, next > marker else { return parts }
            marker = next
        }
    }

    /// Sends a part, and returns its tag.
    func put(
        _ part: PartPlan.Part,
        of file: SourceFile,
        digest: PartDigest,
        to key: String,
        _ id: String,
        progress: SendProgress
    ) async throws -> ObjectTag {
        var call = S3Call(.put, key, .init("partNumber", "\(part.number)"), .init("uploadId", id))
        // The signature covers the MD5, and the MD5 covers the bytes: another digest of each part would add
        // nothing.
        call.headers = [.init("Content-MD5", try Self.base64(digest.hexadecimal))]
        call.payload = .unsigned
        call.body = try file.body(from: part.offset, limit: part.size)
        call.progress = progress
        let response = try await send(call)
        guard response.isSuccess else { throw response.failure("send part \(part.number)") }
        try Self.check(response, digest.tag)
        return response.response.headers["ETag"].map { ObjectTag($0) } ?? digest.tag
    }

    /// Completes the object from its parts.
    func complete(
        _ id: String,
        of key: String,
        _ tags: [ObjectTag],
        _ object: S3ObjectFields
    ) async throws -> S3Response {
        var call = S3Call(.post, key, .init("uploadId", id))
        let body = CompleteDocument.bytes(tags)
        call.headers = [.init("Content-Type", "application/xml")]
        call.body = HTTPBody(body)
        call.payload = .sha256(try PartDigest.sha256(body))
        call.isSlow = true
        return try await object.isOnlyIfNew ? sendIfNew(call) : send(call)
    }

    /// Aborts the upload; it is not an error if the server does not have it.
    func abort(_ id: String, of key: String) async throws {
        let response = try await send(S3Call(.delete, key, .init("uploadId", id)))
        guard response.isSuccess || response.status == 404 else { throw response.failure("abort the upload") }
    }
}

/// A page of the list of parts that a server has for an upload.
struct PartListing: Hashable, Sendable {
    /// A part that the server has.
    struct Part: Hashable, Sendable {
        let number: Int
        let size: ByteCount
        let tag: ObjectTag
    }

    /// The parts; malformed entries are left out, so that those parts are sent again.
    let parts: [Part]
    /// The number after which the next page begins; `nil` for the last page.
    let next: Int?

    init(_ document: XMLElement) {
        parts = document.all("Part").compactMap { element in
            guard let number = element.number("PartNumber"), (1...10_000).contains(number),
                let size = element.number("Size"), size >= 0, let tag = element["ETag"]
            else { return nil }
            return Part(number: number, size: ByteCount(size), tag: ObjectTag(tag))
        }
        let isTruncated = document["IsTruncated"]?.contains("true") == true
        next = isTruncated ? document.number("NextPartNumberMarker") : nil
    }
}

/// The MD5 of a part.
struct PartDigest: Hashable, Sendable {
    let digest: Digest

    var hexadecimal: String { digest.hexadecimal }
    var tag: ObjectTag { ObjectTag(digest) }

    /// Reads the part block by block; call it on a thread that may block.
    ///
    /// - Throws: `file_not_readable`; `source_changed`; `CancellationError`.
    init(of body: HTTPBody) throws {
        let reader = try BodyReader(body)
        var position = BodyReader.Position()
        var stream = try DigestStream(.md5)
        while let block = try reader.read(at: &position) {
            try Task.checkCancellation()
            try stream.update(block)
        }
        digest = try stream.finish()
    }

    /// Returns the SHA-256 of bytes in memory, in lower-case hexadecimal.
    static func sha256(_ bytes: [UInt8]) throws -> String {
        try Digest(.sha256, of: bytes).hexadecimal
    }
}

/// The list of parts that completes a multipart upload.
enum CompleteDocument {
    /// Returns the document for parts with these tags, numbered from 1.
    static func bytes(_ tags: [ObjectTag]) -> [UInt8] {
        var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        for (index, tag) in tags.enumerated() {
            let tag = XMLText.encoded("\"\(tag)\"")
            text += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        return Array((text + "</CompleteMultipartUpload>").utf8)
    }
}
