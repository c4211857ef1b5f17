internal import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypeHTTP

extension S3Client {
    /// Returns the size of an object; `nil` if there is none.
    func size(of key: String) async throws -> ByteCount? {
        let response = try await send(S3Call(.head, key))
        guard response.status != 404 else { return nil }
        let length = response.response.headers["Content-Length"].flatMap { Int($0) }
        guard response.isSuccess, let length, length >= 0 else { throw response.failure("look for \(key)") }
        return ByteCount(length)
    }

    /// Deletes an object; it is not an error if there is none.
    func delete(_ key: String) async throws {
        let response = try await send(S3Call(.delete, key))
        guard response.isSuccess || response.status == 404 else { throw response.failure("delete \(key)") }
    }

    /// Stores a medium with one request.
    func put(
        _ file: SourceFile,
        _ type: MediaType,
        _ key: String,
        _ object: S3ObjectFields,
        _ session: UploadSession
    ) async throws {
        var call = S3Call(.put, key)
        call.headers = [.init("Content-Type", type.name)] + object.headers
        if let md5 = file.md5 { call.headers.append(.init("Content-MD5", try Self.base64(md5))) }
        call.body = try file.body()
        call.payload = .sha256(file.sha256)
        call.progress = session.progress()
        let response = try await object.isOnlyIfNew ? sendIfNew(call) : send(call)
        guard response.isSuccess else { throw response.failure("send the file") }
        if let md5 = file.md5 { try Self.check(response, ObjectTag(md5)) }
    }

    /// Sends a request that stores an object if there is none; 412 if there is one.
    ///
    /// A server that does not know the condition receives the request without it.
    func sendIfNew(_ call: S3Call) async throws -> S3Response {
        var careful = call
        careful.headers.append(.init("If-None-Match", "*"))
        let response = try await send(careful)
        return response.status == 501 ? try await send(call) : response
    }

    /// Throws if the server reports other bytes than were sent, or does not respond as an S3 server does.
    static func check(
        _ response: S3Response,
        _ expected: ObjectTag,
        otherwise remedy: PublishError.Remedy = .retry
    ) throws(PublishError) {
        let headers = response.response.headers
        guard let tag = headers["ETag"].map({ ObjectTag($0) }) else {
            let error = CalotypeError(
                .notStored,
                "the server returned \(response.status) without an entity tag, which S3 servers send; check the endpoint",
                stage: .response,
                url: response.response.url.withoutQuery
            )
            throw PublishError(error, remedy)
        }
        guard !ObjectTag.isOpaque(headers), tag != expected else { return }
        let error = CalotypeError(
            .truncatedBody,
            "the server stored different contents than it received: the MD5 is \(tag) instead of \(expected)",
            stage: .response,
            url: response.response.url.withoutQuery
        )
        throw PublishError(error, remedy)
    }

    static func base64(_ hexadecimal: String) throws(CalotypeError) -> String {
        guard let bytes = Hexadecimal.bytes(hexadecimal) else {
            throw CalotypeError(.invalidRequest, "\"\(hexadecimal)\" is no digest", stage: .request)
        }
        return String(decoding: Base64.encode(bytes), as: UTF8.self)
    }
}

/// The entity tag of an object or a part, without quotes.
///
/// The tag is the MD5 of the bytes, or an MD5 of the parts' MD5s with the number of parts after a hyphen,
/// unless the server encrypts with keys that it does not own.
struct ObjectTag: Hashable, Sendable, CustomStringConvertible {
    let text: String

    /// Creates a tag from its text in a header or a document.
    init(_ text: some StringProtocol) {
        let bare = text.filter { !$0.isWhitespace && $0 != "\"" }
        self.text = bare.contains { $0.isUppercase } ? Self.lowercased(String(bare)) : String(bare)
    }

    init(_ digest: Digest) {
        text = digest.hexadecimal
    }

    /// Creates the tag of an object that consists of parts with these digests, in order.
    init(parts digests: [Digest]) throws(DigestError) {
        var stream = try DigestStream(.md5)
        for digest in digests { try stream.update(digest.bytes) }
        text = "\(try stream.finish().hexadecimal)-\(digests.count)"
    }

    var description: String { text }

    /// Whether the tags in responses with these headers are unrelated to the bytes.
    static func isOpaque(_ headers: HTTPHeaders) -> Bool {
        let encryption = headers["x-amz-server-side-encryption"] ?? "AES256"
        return encryption.uppercased() != "AES256"
            || headers["x-amz-server-side-encryption-customer-algorithm"] != nil
    }

    /// Hexadecimal digits are equal in both cases; tags of any other form are case-sensitive.
    private static func lowercased(_ text: String) -> String {
        let isDigest = text.utf8.allSatisfy { byte in "0123456789abcdefABCDEF-".utf8.contains(byte) }
        return isDigest ? text.lowercased() : text
    }
}
