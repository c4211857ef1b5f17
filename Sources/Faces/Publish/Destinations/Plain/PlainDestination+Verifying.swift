internal import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypeHTTP

extension PlainDestination {
    /// Checks that the server has the file, after it has responded with success.
    ///
    /// Sign-in pages and captive portals respond to any request with success. If the file was sent by `PUT`
    /// to a folder, the check sends a `HEAD` request. For a signed URL, which is valid for one method only,
    /// and for a `POST`, it examines the response alone.
    ///
    /// - Throws: `not_stored` if the server has something else in the file's place, or nothing; what the
    ///   transport throws.
    func verify(
        _ response: PublishResponse,
        _ medium: PreparedMedium,
        at url: WebURL,
        _ client: PublishClient
    ) async throws {
        guard isFolder else { return try Self.checkPlausible(response, medium) }
        var request = HTTPRequest(url, method: .head)
        try authorize(&request)
        let told = try await client.send(request)
        switch told.status {
        case 200..<300:
            guard try Self.confirms(told, medium) else { return try Self.checkPlausible(response, medium) }
        case 404, 410: throw Self.notStored("has no such file", medium, told, .retry)
        case 408, 425, 429, 500, 502...599: throw told.failure("check \(medium.name)")
        // The server accepts files there, but does not show any.
        default: try Self.checkPlausible(response, medium)
        }
    }

    /// Whether the response's headers prove that the file is this one; `false` if they show nothing.
    private static func confirms(
        _ told: PublishResponse,
        _ medium: PreparedMedium
    ) throws(PublishError) -> Bool {
        let isPage = told.isPage && medium.type.name != "text/html"
        if let digest = told.headers.sha256, let expected = Hexadecimal.bytes(medium.file.sha256) {
            guard digest == Base64.text(expected) else {
                throw notStored("has a file with different contents", medium, told, .retry)
            }
            return true
        }
        if let tag = told.headers["ETag"].map({ ObjectTag($0).text }),
            tag == medium.file.sha256 || tag == medium.file.md5
        {
            return true
        }
        if let length = told.headers.plainLength {
            guard length != medium.file.size.bytes else { return true }
            guard !isPage else { throw notStored(page, medium, told, .none) }
            throw notStored("has a file of \(ByteCount(length))", medium, told, .retry)
        }
        guard !isPage else { throw notStored(page, medium, told, .none) }
        return false
    }

    /// Throws if a server that stores files would not send such a successful response.
    private static func checkPlausible(
        _ response: PublishResponse,
        _ medium: PreparedMedium
    ) throws(PublishError) {
        // Some servers also confirm with a page, but then the status or `Location` shows what they have done.
        guard response.isPage, ![201, 204].contains(response.status), response.headers["Location"] == nil
        else {
            return
        }
        throw notStored(page, medium, response, .none)
    }

    private static let page = "responds with a web page, possibly a sign-in page"

    private static func notStored(
        _ what: String,
        _ medium: PreparedMedium,
        _ response: PublishResponse,
        _ remedy: PublishError.Remedy
    ) -> PublishError {
        let error = CalotypeError(
            .notStored,
            "the server accepted \(medium.name) (\(medium.file.size)), but \(what); check its URL and the credentials",
            stage: .response,
            url: response.url.withoutQuery
        )
        return PublishError(error, remedy)
    }
}

extension HTTPHeaders {
    /// The SHA-256 of the bytes in Base64, from `Repr-Digest` (RFC 9530) or `Digest` (RFC 3230).
    fileprivate var sha256: String? {
        for field in ["Repr-Digest", "Digest"] {
            let digest = self[field]?.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
                .first { $0.lowercased().hasPrefix("sha-256=") }
            if let digest { return digest.dropFirst("sha-256=".count).filter { $0 != ":" } }
        }
        return nil
    }

    /// The length of the bytes, if the response would carry them without an encoding.
    fileprivate var plainLength: Int? {
        guard ["", "identity"].contains(self["Content-Encoding"]?.lowercased() ?? "") else { return nil }
        return self["Content-Length"].flatMap { Int($0) }
    }
}
