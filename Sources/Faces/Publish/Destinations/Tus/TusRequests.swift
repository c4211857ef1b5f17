internal import CalotypeCore
import CalotypeFiles
internal import CalotypeHTTP

/// Creates tus 1.0 requests for one server.
struct TusRequests {
    /// The URL at which uploads are created.
    let endpoint: WebURL
    /// The value of the `Authorization` header.
    let authorization: Secret?

    /// Creates the request for the server's abilities, which carries no protocol version.
    func abilities() throws(CalotypeError) -> HTTPRequest {
        try request(endpoint, .options, version: nil)
    }

    /// Creates the request for a new upload of `medium`, with `body` as its first bytes unless it is empty.
    ///
    /// The request always carries the file's name and type: some servers cannot find an upload without them.
    /// Other servers name files by that name alone, so that two files of the same name would replace each
    /// other. The name therefore begins with `key`, which is unique to the upload.
    func creation(
        of medium: PreparedMedium,
        key: String,
        with body: HTTPBody
    ) throws(CalotypeError) -> HTTPRequest {
        var request = try request(endpoint, .post)
        try request.addHeader("Upload-Length", "\(medium.file.size.bytes)")
        try request.addHeader(
            "Upload-Metadata",
            "filename \(Self.base64("\(key)-\(medium.name)")),filetype \(Self.base64(medium.type.name))"
        )
        if !body.isEmpty { try request.carry(body) }
        return request
    }

    /// Creates the request for the number of bytes that the server has.
    func offset(of upload: WebURL) throws(CalotypeError) -> HTTPRequest {
        try request(upload, .head)
    }

    /// Creates the request that sends `body`, the file's bytes from `offset` on.
    func piece(of upload: WebURL, from offset: Int, _ body: HTTPBody) throws(CalotypeError) -> HTTPRequest {
        var request = try request(upload, .patch)
        try request.addHeader("Upload-Offset", "\(offset)")
        try request.carry(body)
        return request
    }

    /// Creates the request that removes an upload.
    func termination(of upload: WebURL) throws(CalotypeError) -> HTTPRequest {
        try request(upload, .delete)
    }

    /// Returns the URL that `text` names, which must have the endpoint's origin.
    ///
    /// Neither bytes nor credentials are sent to any other origin.
    ///
    /// - Throws: `invalid_redirect` for another origin; what `WebURL` throws for an invalid URL.
    func upload(_ text: String, from base: WebURL) throws(CalotypeError) -> WebURL {
        // Drop the user and password that the reference may contain.
        let url = try WebURL(try base.resolving(text).text)
        guard url.origin == endpoint.origin else { throw refusal(of: url) }
        return url
    }

    /// Returns the URL of an upload in the journal; the server's URL may have been spelled differently then.
    ///
    /// - Throws: The errors that ``upload(_:from:)`` throws.
    func known(_ text: String) throws(CalotypeError) -> WebURL {
        let url = try WebURL(text)
        if let known = try DestinationIdentity.rebase(url, to: endpoint) { return known }
        return try upload(text, from: endpoint)
    }

    private func refusal(of url: WebURL) -> CalotypeError {
        CalotypeError(
            .invalidRedirect,
            "the server redirects the upload to another origin, \(url.scheme)://\(url.host):\(url.port), which gets "
                + "nothing; to allow this, publish to that URL",
            stage: .response,
            url: endpoint.text
        )
    }

    private func request(
        _ url: WebURL,
        _ method: HTTPMethod,
        version: String? = TusAbilities.version
    ) throws(CalotypeError) -> HTTPRequest {
        var request = HTTPRequest(url, method: method)
        if let version { try request.addHeader("Tus-Resumable", version) }
        try request.authorize(authorization)
        return request
    }

    private static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }
}

extension HTTPRequest {
    fileprivate mutating func carry(_ body: HTTPBody) throws(CalotypeError) {
        self.body = body
        try addHeader("Content-Type", "application/offset+octet-stream")
    }
}

/// A server's description of itself: versions, extensions and the largest upload (tus 1.0, `OPTIONS`).
struct TusAbilities: Hashable {
    /// The protocol version that this client uses.
    static let version = "1.0.0"

    /// The versions that the server supports, in its order of preference; empty if it reports none.
    let versions: [String]
    /// The extensions that the server supports; empty if it reports none.
    let extensions: Set<String>
    /// The maximum length of an upload.
    let maximumSize: ByteCount?

    /// Reads the header fields of a response.
    init(_ headers: HTTPHeaders) {
        versions = Self.list(headers["Tus-Version"])
        extensions = Set(Self.list(headers["Tus-Extension"]))
        maximumSize = headers.tusNumber("Tus-Max-Size").map { ByteCount($0) }
    }

    /// Whether the server supports this client's version, as far as it reports.
    var isSpoken: Bool { versions.isEmpty || versions.contains(Self.version) }

    /// Whether the request that creates an upload may carry its bytes.
    var takesBytesAtCreation: Bool { extensions.contains("creation-with-upload") }

    private static func list(_ value: String?) -> [String] {
        (value ?? "").split { $0 == "," || $0 == " " }.map { $0.lowercased() }
    }
}

extension HTTPHeaders {
    /// How many bytes of the upload the server says it has.
    var tusOffset: Int? { tusNumber("Upload-Offset") }

    /// Returns the number in a header; `nil` if it is missing or not a valid number of bytes.
    func tusNumber(_ name: String) -> Int? {
        guard let text = self[name], !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }

    /// Returns when the upload expires by this machine's clock, whatever the server's clock shows.
    func tusExpiry(now: WallTime) -> WallTime? {
        guard let moment = HTTPDate.moment(self["Upload-Expires"], now: now) else { return nil }
        guard let date = HTTPDate.moment(self["Date"], now: now) else { return moment }
        return now + (moment - date)
    }
}

extension PublishResponse {
    /// Returns the failure for a response without a special meaning in tus, with the server's own words.
    func tusFailure(_ doing: String) -> PublishError {
        failure(doing, reason: tusReason)
    }

    /// Returns the failure for an upload that the server no longer has.
    func tusLoss() -> PublishError {
        let error = CalotypeError(
            .http(status: status),
            "the server no longer has the upload: it returned \(status)",
            stage: .response,
            url: url.text
        )
        return PublishError(error, .startOver)
    }

    /// Returns the failure for a response that no tus server gives.
    func tusMisfit(_ what: String, _ remedy: PublishError.Remedy) -> PublishError {
        let error = CalotypeError(
            .protocolError,
            "the response is not from a tus server: \(what); check the URL, which often ends with a slash",
            stage: .response,
            url: url.text
        )
        return PublishError(error, remedy)
    }

    private var tusReason: String? {
        if status == 404 || status == 405 {
            return "check the URL of the tus server, and whether it needs a slash at the end"
        }
        if status == 412, let versions = headers["Tus-Version"] { return "it supports tus \(versions)" }
        guard let type = headers["Content-Type"]?.lowercased(), !body.isEmpty else { return nil }
        if type.hasPrefix("text/plain") { return String(decoding: body.prefix(1200), as: UTF8.self) }
        return type.contains("json") ? tusProblem : nil
    }

    /// The server's explanation in a JSON response, under one of the usual names.
    private var tusProblem: String? {
        // If the explanation cannot be read, the status alone describes the problem.
        guard let fields = try? json(TusErrorBody.self) else { return nil }
        return fields.detail ?? fields.message ?? fields.error
    }
}

/// The JSON that servers send with an error.
private struct TusErrorBody: Decodable {
    let detail: String?
    let message: String?
    let error: String?
}
