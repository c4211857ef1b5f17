internal import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypeHTTP

extension PlainDestination {
    /// Looks whether a server that has answered with success has the file, too.
    ///
    /// Sign-in pages and captive portals answer any request with success. A file that was `PUT` into a folder is asked for by
    /// `HEAD`; of a signed URL, which is for one method, and of a `POST`, only the answer itself is looked at.
    ///
    /// - Throws: `not_stored` where something else is at its place, or nothing; what the transport throws.
    func verify(
        _ answer: PublishAnswer,
        _ medium: PreparedMedium,
        at url: WebURL,
        _ client: PublishClient
    ) async throws {
        guard isFolder else { return try Self.checkPlausible(answer, medium) }
        var request = HTTPRequest(url, method: .head)
        try authorize(&request)
        let told = try await client.send(request)
        switch told.status {
        case 200..<300:
            guard try Self.confirms(told, medium) else { return try Self.checkPlausible(answer, medium) }
        case 404, 410: throw Self.notStored("has nothing at its place", medium, told, .retry)
        case 408, 425, 429, 500, 502...599: throw told.failure("look whether \(medium.name) is there")
        // A place that takes files and shows none.
        default: try Self.checkPlausible(answer, medium)
        }
    }

    /// Whether what is told of a file proves that it is this one; false where nothing is told.
    private static func confirms(
        _ told: PublishAnswer,
        _ medium: PreparedMedium
    ) throws(PublishError) -> Bool {
        let isPage = told.isPage && medium.type.name != "text/html"
        if let digest = told.headers.sha256, let expected = Hexadecimal.bytes(medium.file.sha256) {
            guard digest == Base64.text(expected) else {
                throw notStored("has other bytes at its place", medium, told, .retry)
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
            throw notStored("has \(ByteCount(length)) at its place", medium, told, .retry)
        }
        guard !isPage else { throw notStored(page, medium, told, .none) }
        return false
    }

    /// Throws where an answer with success is none that a server gives which stores files.
    private static func checkPlausible(
        _ answer: PublishAnswer,
        _ medium: PreparedMedium
    ) throws(PublishError) {
        // Some servers confirm with a page, too, and then say what they have done.
        guard answer.isPage, ![201, 204].contains(answer.status), answer.headers["Location"] == nil else {
            return
        }
        throw notStored(page, medium, answer, .none)
    }

    private static let page = "answers with a web page, as one does where one has to sign in"

    private static func notStored(
        _ what: String,
        _ medium: PreparedMedium,
        _ answer: PublishAnswer,
        _ remedy: PublishError.Remedy
    ) -> PublishError {
        let error = CalotypeError(
            .notStored,
            "the server took \(medium.name), which has \(medium.file.size), and \(what); check its URL and the credentials",
            stage: .response,
            url: answer.url.withoutQuery
        )
        return PublishError(error, remedy)
    }
}

extension HTTPHeaders {
    /// The SHA-256 of the bytes, in Base64, as `Repr-Digest` (RFC 9530) or `Digest` (RFC 3230) tells it.
    fileprivate var sha256: String? {
        for field in ["Repr-Digest", "Digest"] {
            let digest = self[field]?.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
                .first { $0.lowercased().hasPrefix("sha-256=") }
            if let digest { return digest.dropFirst("sha-256=".count).filter { $0 != ":" } }
        }
        return nil
    }

    /// How long the bytes are, where they are told as they are.
    fileprivate var plainLength: Int? {
        guard ["", "identity"].contains(self["Content-Encoding"]?.lowercased() ?? "") else { return nil }
        return self["Content-Length"].flatMap { Int($0) }
    }
}
