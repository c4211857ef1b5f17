public import CalotypeCore
public import CalotypeHTTP

/// Sends a post as JSON by `POST`.
///
/// The JSON is `{"id", "text", "content_warning", "visibility", "language", "schedule", "media": [{"id", "url",
/// "name", "type", "size", "sha256", "alt", "focus"}]}`; `id` is the post's own key, `schedule` a time in the
/// format of RFC 3339, and `focus` two numbers from -1 to 1. Missing values are left out.
///
/// The server confirms the post with JSON, which may have `id` and `url`, with a `Location`, or with status
/// 201. After any other successful response, such as a sign-in page, it is unknown whether the post is
/// published.
public struct PlainPost: Sendable {
    /// The URL that accepts the post.
    public let url: WebURL
    /// How to proceed after a lost response.
    public let settling: PostSettling
    private let authorization: Secret?

    /// Creates a target for posts.
    ///
    /// - Parameters:
    ///   - url: The URL that accepts the post.
    ///   - settling: How to proceed after a lost response; by default, a person has to look.
    ///   - authorization: The value of the `Authorization` header, if one is needed.
    public init(_ url: WebURL, settling: PostSettling = .ask, authorization: Secret? = nil) {
        self.url = url
        self.settling = settling
        self.authorization = authorization
    }

    /// Sends the post, or finds that it is already there.
    ///
    /// - Throws: The errors that ``PublishDestination/publish(_:_:)`` describes.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        if session.mayHaveBeenSent, let found = try await settle(draft, session) { return found }
        let request = try request(draft, session)
        let response = try await PublishError.settlingRedirects(from: url) {
            try await session.client.send(request)
        }
        guard response.isSuccess else { throw response.failureOfPost() }
        return try published(response, draft, otherwise: .settle)
    }

    private func request(_ draft: PostDraft, _ session: PostSession) throws -> HTTPRequest {
        var request = try HTTPRequest(url, json: DraftDocument(draft, key: session.key, PlainMedium.init))
        try request.addHeader("Idempotency-Key", session.key)
        try request.authorize(authorization)
        // If a reused connection closed during the request, we could not tell whether the post has arrived.
        request.needsNewConnection = true
        return request
    }

    private func settle(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost? {
        switch settling {
        case .key: return nil
        case .lookUp(let template): return try await lookUp(template, draft, session)
        case .ask:
            let message =
                "the response to the post was lost, and this server cannot be queried; check there whether it is published"
            throw unknown(message, .none)
        }
    }

    private func unknown(_ message: String, _ remedy: PublishError.Remedy) -> PublishError {
        PublishError(
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
        let response = try await session.client.send(request)
        if response.status == 404 {
            guard isQuiet else { throw unknown("the post may still arrive", .settle) }
            session.confirmNotPublished()
            try await session.noteSending()
            return nil
        }
        guard response.isSuccess else {
            throw PublishError(response.failure("look up the post").error, .settle)
        }
        // Another request would receive the same response.
        return try published(response, draft, otherwise: .none)
    }

    private func published(
        _ response: PublishResponse,
        _ draft: PostDraft,
        otherwise remedy: PublishError.Remedy
    ) throws(PublishError) -> PublishedPost {
        let wire = RememberedState(json: String(decoding: response.body, as: UTF8.self)).value(
            PlainConfirmation.self
        )
        let isPromised = wire?.isPost ?? (response.status == 201 || response.headers["Location"] != nil)
        guard isPromised else { throw unknown(Self.odd(response, isJSON: wire != nil), remedy) }
        // The post is published, whether or not its location is valid.
        let location = response.headers["Location"].flatMap { try? response.url.resolving($0).text }
        return PublishedPost(id: wire?.id, url: wire?.url ?? location, media: draft.media.map(\.uploaded))
    }

    /// Describes a response that does not confirm the post.
    private static func odd(_ response: PublishResponse, isJSON: Bool) -> String {
        let what =
            if response.isPage {
                "a web page, possibly a sign-in page"
            } else if isJSON {
                "a JSON error"
            } else {
                response.body.isEmpty
                    ? "nothing" : response.headers["Content-Type"] ?? "a body without a type"
            }
        return
            "the server returned \(response.status) with \(what) instead of JSON, 201 or a Location"
    }
}

/// How to find out whether a post has arrived after a lost response, at a server that accepts posts as JSON.
public enum PostSettling: Hashable, Sendable {
    /// Send the post again; the server recognizes its `Idempotency-Key`.
    case key
    /// Let a person look.
    case ask
    /// Request this URL, with the post's key in place of `{key}`.
    ///
    /// The response is the post as JSON, or 404 if there is no such post.
    case lookUp(template: String)

    /// Parses `key`, `ask` or a URL that contains `{key}`.
    ///
    /// - Throws: `invalid_request`; for URLs, the errors of `DestinationAddress`.
    public init(_ text: String, allowsHTTP: Bool = false) throws(CalotypeError) {
        switch text {
        case "key": self = .key
        case "ask": self = .ask
        default:
            guard text.contains("://"), text.contains("{key}") else {
                throw CalotypeError(
                    .invalidRequest,
                    "it must be key, ask or a URL that contains {key}, such as https://example.org/posts/{key}",
                    stage: .request
                )
            }
            _ = try DestinationAddress.url(text.replacing("{key}", with: "0"), allowsHTTP: allowsHTTP)
            self = .lookUp(template: text)
        }
    }
}

/// A medium of a post that is sent to a server as JSON.
struct PlainMedium: Encodable {
    private enum Key: CodingKey {
        case id, url, focus
    }

    private let medium: PostDraft.Medium

    init(_ medium: PostDraft.Medium) {
        self.medium = medium
    }

    func encode(to encoder: any Encoder) throws {
        try MediumFacts(medium.medium).encode(to: encoder)
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(medium.uploaded.id, forKey: .id)
        try values.encodeIfPresent(medium.uploaded.url, forKey: .url)
        try values.encodeIfPresent(medium.medium.focus.map { [$0.x, $0.y] }, forKey: .focus)
    }
}

/// A server's confirmation of a post; the ID may be a string or a number.
struct PlainConfirmation: Decodable {
    private enum Key: CodingKey {
        case id, url, error, errors
    }

    let id: String?
    let url: String?
    /// Whether it describes a post, and not an error.
    let isPost: Bool

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let text = try? values.decode(String.self, forKey: .id)
        id = text ?? (try? values.decode(Int.self, forKey: .id)).map { "\($0)" }
        url = try? values.decode(String.self, forKey: .url)
        isPost = id != nil || url != nil || !values.contains(.error) && !values.contains(.errors)
    }
}
