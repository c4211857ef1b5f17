internal import CalotypeCore
internal import CalotypeHTTP

/// The requests to a site's REST interface.
struct WordPressCalls {
    let destination: WordPressDestination
    let root: WordPressRoot
    let client: PublishClient

    func get(_ call: String) async throws -> PublishAnswer {
        try await sendHere(request(call))
    }

    func post(_ call: String, _ value: some Encodable) async throws -> PublishAnswer {
        var request = try HTTPRequest(root.url(of: call, at: destination.site), json: value)
        try request.authorize(.basic(destination.user, destination.password))
        return try await sendHere(request)
    }

    func delete(_ call: String) async throws -> PublishAnswer {
        try await sendHere(request(call, .delete))
    }

    /// A request without a body, or before it gets one.
    func request(_ call: String, _ method: HTTPMethod = .get) throws -> HTTPRequest {
        var request = HTTPRequest(try root.url(of: call, at: destination.site), method: method)
        try request.authorize(.basic(destination.user, destination.password))
        return request
    }

    /// Asks the way: where redirects lead is for the caller to judge.
    func ask(_ call: String) async throws -> PublishAnswer {
        try await client.send(request(call))
    }

    /// Sends a request that is to be answered by the site itself.
    func sendHere(_ request: HTTPRequest) async throws -> PublishAnswer {
        do {
            let answer = try await client.send(request)
            try requireHere(answer)
            return answer
        } catch let error as CalotypeError
            where [.http(status: 301), .http(status: 302)].contains(error.code)
        {
            throw moved(to: nil, error)
        }
    }

    /// - Throws: `site_moved` where another server than the site's answered: it was not shown the credentials.
    func requireHere(_ answer: PublishAnswer, home: String? = nil) throws(PublishFailure) {
        guard answer.url.origin != destination.site.origin else { return }
        throw moved(to: home ?? "\(answer.url.scheme.rawValue)://\(answer.url.host)", nil)
    }

    private func moved(to target: String?, _ cause: CalotypeError?) -> PublishFailure {
        let error = CalotypeError(
            .siteMoved,
            "the site redirects" + (target.map { " to \($0)" } ?? "")
                + "; give its true address as the destination, for example with https:// or www.",
            stage: .response,
            url: destination.site.text,
            cause: cause
        )
        return PublishFailure(error, .none)
    }
}
