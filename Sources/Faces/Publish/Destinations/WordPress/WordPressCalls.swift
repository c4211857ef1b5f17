internal import CalotypeCore
internal import CalotypeHTTP

/// The requests to a site's REST API.
struct WordPressCalls {
    let destination: WordPressDestination
    let root: WordPressRoot
    let client: PublishClient

    func get(_ call: String) async throws -> PublishResponse {
        try await sendHere(request(call))
    }

    func post(_ call: String, _ value: some Encodable) async throws -> PublishResponse {
        var request = try HTTPRequest(root.url(of: call, at: destination.site), json: value)
        try request.authorize(.basic(destination.user, destination.password))
        return try await sendHere(request)
    }

    func delete(_ call: String) async throws -> PublishResponse {
        try await sendHere(request(call, .delete))
    }

    /// Creates a request without a body; the caller may add one.
    func request(_ call: String, _ method: HTTPMethod = .get) throws -> HTTPRequest {
        var request = HTTPRequest(try root.url(of: call, at: destination.site), method: method)
        try request.authorize(.basic(destination.user, destination.password))
        return request
    }

    /// Sends a request while the API is being located; the caller must check where redirects lead.
    func ask(_ call: String) async throws -> PublishResponse {
        try await client.send(request(call))
    }

    /// Sends a request that the site itself must respond to.
    func sendHere(_ request: HTTPRequest) async throws -> PublishResponse {
        do {
            let response = try await client.send(request)
            try requireHere(response)
            return response
        } catch let error as CalotypeError
            where [.http(status: 301), .http(status: 302)].contains(error.code)
        {
            throw moved(to: nil, error)
        }
    }

    /// - Throws: `site_moved` if another server responded; it has not received the credentials.
    func requireHere(_ response: PublishResponse, home: String? = nil) throws(PublishError) {
        guard response.url.origin != destination.site.origin else { return }
        throw moved(to: home ?? "\(response.url.scheme.rawValue)://\(response.url.host)", nil)
    }

    private func moved(to target: String?, _ cause: CalotypeError?) -> PublishError {
        let error = CalotypeError(
            .siteMoved,
            "the site redirects" + (target.map { " to \($0)" } ?? "")
                + "; use its actual address as the destination, for example with https:// or www.",
            stage: .response,
            url: destination.site.text,
            cause: cause
        )
        return PublishError(error, .none)
    }
}

extension WordPressCalls {
    /// Returns the posts that earlier attempts created, whatever their status.
    ///
    /// If the post's ID is known, the method searches by that, and otherwise by the slug.
    func posts(_ record: WordPressPublication) async throws -> [WordPressPost] {
        guard let id = record.id else { return try await posts(named: record.slug) }
        let response = try await get("wp/v2/posts/\(id)?context=edit&\(WordPressPost.fields)")
        if response.status == 404 { return [] }
        guard response.isSuccess else { throw response.wordPressFailure("look up the post") }
        return [try response.json(WordPressPost.self)]
    }

    /// Returns all posts with this slug, the oldest first.
    ///
    /// The site appends a number to the slug if another post already has it.
    func posts(named slug: String) async throws -> [WordPressPost] {
        let slugs = ([slug] + (2...5).map { "\(slug)-\($0)" }).joined(separator: ",")
        let states = "publish,future,draft,pending,private"
        let order = "orderby=id&order=asc"
        let call = "wp/v2/posts?slug=\(slugs)&status=\(states)&context=edit&\(order)&\(WordPressPost.fields)"
        let response = try await get(call)
        guard response.isSuccess else { throw response.wordPressFailure("look up the post") }
        return try response.json([WordPressPost].self)
    }
}

/// WordPress's description of a failed request.
struct WordPressErrorReport: Decodable {
    /// A stable code, such as `rest_cannot_create`.
    let code: String
    /// A message in the site's language.
    let message: String?
}

extension PublishResponse {
    /// WordPress's description of the failure; `nil` if something else responded, such as a proxy.
    var wordPressErrorReport: WordPressErrorReport? {
        // A proxy, or PHP itself, may respond with something other than JSON.
        isSuccess ? nil : try? json(WordPressErrorReport.self)
    }

    /// Returns the failure for a response; WordPress's code has precedence if the status is misleading.
    func wordPressFailure(_ doing: String) -> PublishError {
        let report = wordPressErrorReport
        let reason = Self.advice(report?.code, status) ?? report?.message.map(Self.plain)
        let failure = failure(doing, reason: reason.map { "\($0)" + (report.map { " (\($0.code))" } ?? "") })
        switch report?.code {
        // This 500 is about the file, not the server: its type is not allowed. A message that names a month's
        // folder is about the folder: a month's first concurrent uploads compete to create it.
        case "rest_upload_sideload_error":
            let isAboutFolder = report?.message?.contains(#//[0-9]{4}/[0-9]{2}/#) ?? false
            return PublishError(failure.error, isAboutFolder ? .retry : .none)
        // The bytes were damaged in transit; the next attempt may succeed.
        case "rest_upload_hash_mismatch": return PublishError(failure.error, .retry)
        // This 400 is about the database.
        case "db_insert_error": return PublishError(failure.error, .retry)
        default: return failure
        }
    }

    private static func advice(_ code: String?, _ status: Int) -> String? {
        switch (code, status) {
        case ("rest_not_logged_in", _):
            "the user name or the application password is wrong, or did not reach WordPress; application passwords require "
                + "https and a web server that forwards the Authorization header"
        case ("incorrect_password", _), ("invalid_username", _), ("invalid_email", _):
            "the user name or the application password is wrong"
        case ("rest_upload_no_data", _): "no bytes arrived; PHP's post_max_size may be smaller than the file"
        case (_, 413): "the file is larger than the web server accepts"
        case (nil, 401): "the credentials were rejected, or the web server needs its own"
        default: nil
        }
    }

    /// Removes the HTML from WordPress's messages.
    private static func plain(_ message: String) -> String {
        var isTag = false
        return message.filter { character in
            defer { if character == ">" { isTag = false } }
            if character == "<" { isTag = true }
            return !isTag
        }
    }
}
