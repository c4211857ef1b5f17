internal import CalotypeCore
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
