internal import CalotypeCore
public import CalotypeHTTP

/// Sends a post as JSON by HTTP `POST`.
///
/// The JSON is `{"id", "text", "visibility", "language", "schedule", "media": [{"id", "url", "name", "type", "size", "sha256", "alt",
/// "focus"}]}`; `id` is the post's own key, `schedule` a time of RFC 3339, `focus` two numbers from -1 to 1. What the post
/// does not have is left out. The answer is JSON, with `id` and `url` if the server has them, or names the post by `Location`, or is 201.
/// Any other answer with success, such as a page where one has to sign in, leaves it open whether the post is published.
public struct PlainPost: Sendable {
    /// Where the post goes.
    public let url: WebURL
    /// How a lost answer is made up for.
    public let settling: PostSettling
    private let authorization: Secret?

    /// Creates a target for posts.
    ///
    /// - Parameters:
    ///   - url: Where the post goes.
    ///   - settling: How a lost answer is made up for; nothing is assumed of the server by default.
    ///   - authorization: The value of the `Authorization` field, if one is needed.
    public init(_ url: WebURL, settling: PostSettling = .ask, authorization: Secret? = nil) {
        self.url = url
        self.settling = settling
        self.authorization = authorization
    }

    /// Sends the post, or finds that it is there.
    ///
    /// - Throws: As ``PublishDestination/publish(_:_:)``.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        if session.mayHaveBeenSent, let found = try await settle(draft, session) { return found }
        let request = try request(draft, session)
        let answer = try await PublishFailure.settlingRedirects(from: url) {
            try await session.client.send(request)
        }
        guard answer.isSuccess else { throw answer.failureOfPost() }
        return try published(answer, draft, otherwise: .settle)
    }

    private func request(_ draft: PostDraft, _ session: PostSession) throws -> HTTPRequest {
        var request = try HTTPRequest(url, json: DraftDocument(draft, key: session.key, PlainMedium.init))
        try request.addHeader("Idempotency-Key", session.key)
        try request.authorize(authorization)
        // A connection that dies under the request would leave it open whether the post has arrived.
        request.needsNewConnection = true
        return request
    }

    private func settle(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost? {
        switch settling {
        case .key: return nil
        case .lookUp(let template): return try await lookUp(template, draft, session)
        case .ask:
            let message =
                "what became of the post was not told, and the server has no way to ask; look there whether it is published"
            throw unknown(message, .none)
        }
    }

    private func unknown(_ message: String, _ remedy: PublishFailure.Remedy) -> PublishFailure {
        PublishFailure(
            CalotypeError(.outcomeUnknown, message, stage: .response, url: url.withoutQuery),
            remedy
        )
    }

    private func lookUp(
        _ template: String,
        _ draft: PostDraft,
        _ session: PostSession
    ) async throws -> PublishedPost? {
        let isQuiet = try await session.isQuiet()
        let parts = template.split(separator: "{key}", maxSplits: 1, omittingEmptySubsequences: false)
        let target = try WebURL(parts.joined(separator: session.key))
        var request = HTTPRequest(target)
        if target.origin == url.origin { try request.authorize(authorization) }
        let answer = try await session.client.send(request)
        if answer.status == 404 {
            guard isQuiet else { throw unknown("the post may still be on its way", .settle) }
            session.confirmNotPublished()
            try await session.noteSending()
            return nil
        }
        guard answer.isSuccess else {
            throw PublishFailure(answer.failure("ask for the post").error, .settle)
        }
        // Asked again, it would answer the same.
        return try published(answer, draft, otherwise: .none)
    }

    private func published(
        _ answer: PublishAnswer,
        _ draft: PostDraft,
        otherwise remedy: PublishFailure.Remedy
    ) throws(PublishFailure) -> PublishedPost {
        let wire = RememberedState(json: String(decoding: answer.body, as: UTF8.self)).value(
            PlainAnswerWire.self
        )
        let isPromised = wire?.isPost ?? (answer.status == 201 || answer.headers["Location"] != nil)
        guard isPromised else { throw unknown(Self.odd(answer, isJSON: wire != nil), remedy) }
        // The post is published, whatever is told of its place.
        let location = answer.headers["Location"].flatMap { try? answer.url.resolving($0).text }
        return PublishedPost(id: wire?.id, url: wire?.url ?? location, media: draft.media.map(\.uploaded))
    }

    /// What an answer is that tells of no post.
    private static func odd(_ answer: PublishAnswer, isJSON: Bool) -> String {
        let what =
            if answer.isPage {
                "a web page, as one does where one has to sign in"
            } else if isJSON {
                "an error in JSON"
            } else {
                answer.body.isEmpty ? "nothing" : answer.headers["Content-Type"] ?? "no JSON"
            }
        return
            "the server answered \(answer.status) with \(what), where a post is told by JSON, 201 or Location"
    }
}
