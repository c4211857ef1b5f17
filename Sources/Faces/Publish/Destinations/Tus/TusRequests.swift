internal import CalotypeCore
import CalotypeFiles
internal import CalotypeHTTP

/// Makes the requests of tus 1.0 for one server.
struct TusRequests {
    /// Where uploads are created.
    let endpoint: WebURL
    /// The value of the `Authorization` field.
    let authorization: Secret?

    /// Asks what the server can do; it is asked without a version.
    func abilities() throws(CalotypeError) -> HTTPRequest {
        try request(endpoint, .options, version: nil)
    }

    /// Creates an upload for `medium`, with `body` as its first bytes where it is not empty.
    ///
    /// The file's name and type are told always: some servers do not find an upload again that has none. Others name
    /// files by that name alone, so that two of one name would take each other's place: it begins with `key`, which no other
    /// upload has.
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

    /// Asks how much the server has.
    func offset(of upload: WebURL) throws(CalotypeError) -> HTTPRequest {
        try request(upload, .head)
    }

    /// Sends `body`, the file's bytes from `offset` on.
    func piece(of upload: WebURL, from offset: Int, _ body: HTTPBody) throws(CalotypeError) -> HTTPRequest {
        var request = try request(upload, .patch)
        try request.addHeader("Upload-Offset", "\(offset)")
        try request.carry(body)
        return request
    }

    /// Removes an upload.
    func termination(of upload: WebURL) throws(CalotypeError) -> HTTPRequest {
        try request(upload, .delete)
    }

    /// The URL that `text` names, which must be where the endpoint is: elsewhere neither bytes nor credentials are sent.
    ///
    /// - Throws: `invalid_redirect` for another origin; what `WebURL` throws for what is no URL.
    func upload(_ text: String, from base: WebURL) throws(CalotypeError) -> WebURL {
        // Without the user and password that the reference may bring along.
        let url = try WebURL(try base.resolving(text).text)
        guard url.origin == endpoint.origin else { throw refusal(of: url) }
        return url
    }

    /// The URL of an upload that the journal knows, whose server may be spelled in another way now.
    ///
    /// - Throws: As ``upload(_:from:)``.
    func known(_ text: String) throws(CalotypeError) -> WebURL {
        let url = try WebURL(text)
        if let known = try DestinationIdentity.rebase(url, to: endpoint) { return known }
        return try upload(text, from: endpoint)
    }

    private func refusal(of url: WebURL) -> CalotypeError {
        CalotypeError(
            .invalidRedirect,
            "the server leads the upload to another origin, \(url.scheme)://\(url.host):\(url.port), where nothing is "
                + "sent; if that is meant, publish to its own URL",
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

/// What a server says of itself: versions, extensions and the largest upload (tus 1.0, `OPTIONS`).
struct TusAbilities: Hashable {
    /// The protocol's version that is spoken here.
    static let version = "1.0.0"

    /// The versions it speaks, the one that it prefers first; empty where it does not tell.
    let versions: [String]
    /// The extensions it has; empty where it does not tell.
    let extensions: Set<String>
    /// The longest upload that it takes.
    let maximumSize: ByteCount?

    /// Reads the fields of an answer.
    init(_ headers: HTTPHeaders) {
        versions = Self.list(headers["Tus-Version"])
        extensions = Set(Self.list(headers["Tus-Extension"]))
        maximumSize = headers.tusNumber("Tus-Max-Size").map { ByteCount($0) }
    }

    /// Whether it can be talked to, as far as it tells.
    var isSpoken: Bool { versions.isEmpty || versions.contains(Self.version) }

    /// Whether the request that creates an upload may bring its bytes.
    var takesBytesAtCreation: Bool { extensions.contains("creation-with-upload") }

    private static func list(_ value: String?) -> [String] {
        (value ?? "").split { $0 == "," || $0 == " " }.map { $0.lowercased() }
    }
}

extension HTTPHeaders {
    /// How much of the upload the server says that it has.
    var tusOffset: Int? { tusNumber("Upload-Offset") }

    /// The number in a field; `nil` where there is none, or something that is no number of bytes.
    func tusNumber(_ name: String) -> Int? {
        guard let text = self[name], !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }

    /// When the upload expires, by the clock of this machine, whatever the server's clock says.
    func tusExpiry(now: WallTime) -> WallTime? {
        guard let moment = HTTPDate.moment(self["Upload-Expires"], now: now) else { return nil }
        guard let date = HTTPDate.moment(self["Date"], now: now) else { return moment }
        return now + (moment - date)
    }
}

extension PublishAnswer {
    /// What an answer means that tus gives no meaning of its own, with the server's words.
    func tusFailure(_ doing: String) -> PublishError {
        failure(doing, reason: tusReason)
    }

    /// The server does not have the upload any more.
    func tusLoss() -> PublishError {
        let error = CalotypeError(
            .http(status: status),
            "the server does not have the upload any more: it answered \(status)",
            stage: .response,
            url: url.text
        )
        return PublishError(error, .startOver)
    }

    /// The answer is none that a tus server gives.
    func tusMisfit(_ what: String, _ remedy: PublishError.Remedy) -> PublishError {
        let error = CalotypeError(
            .protocolError,
            "this is not how a tus server answers: \(what); check the URL, which often ends with a slash",
            stage: .response,
            url: url.text
        )
        return PublishError(error, remedy)
    }

    private var tusReason: String? {
        if status == 404 || status == 405 {
            return "check that this is the URL of a tus server, with or without a slash"
        }
        if status == 412, let versions = headers["Tus-Version"] { return "it speaks tus \(versions)" }
        guard let type = headers["Content-Type"]?.lowercased(), !body.isEmpty else { return nil }
        if type.hasPrefix("text/plain") { return String(decoding: body.prefix(1200), as: UTF8.self) }
        return type.contains("json") ? tusProblem : nil
    }

    /// The words in a JSON answer, under one of the names that are common for them.
    private var tusProblem: String? {
        // A problem that cannot be read is told by its status alone.
        guard let fields = try? json(TusProblem.self) else { return nil }
        return fields.detail ?? fields.message ?? fields.error
    }
}

/// What servers write into an answer that is an error.
private struct TusProblem: Decodable {
    let detail: String?
    let message: String?
    let error: String?
}
