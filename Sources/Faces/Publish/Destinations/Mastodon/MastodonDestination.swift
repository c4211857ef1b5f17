internal import CalotypeCore
public import CalotypeHTTP

/// An account at a server of the Mastodon API: Mastodon itself, and others that speak it.
///
/// A medium is sent as a form, and asked for until the server has processed it. Its answer lost, it is sent again: what a
/// server has without a post it drops by itself. The post carries a key, by which Mastodon knows a repetition for an hour; after that,
/// and at servers that are not known to keep keys, the account's posts are looked at before the post is sent again.
///
/// How many requests are left in a window is not looked at: there are several windows, an answer tells of one, and the
/// refusal of the request that is too many tells when to come again.
public struct MastodonDestination: PublishDestination {
    /// Where the server is: what comes before `/api/v1` in the API's URLs.
    public let server: WebURL
    private let token: Secret

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - server: Where the server is, such as `https://example.org/`.
    ///   - token: An access token of the account, with the scopes `read`, `write:media` and `write:statuses`.
    public init(server: WebURL, token: Secret) {
        self.server = server
        self.token = token
    }

    /// The kind and the URL.
    public var name: String { "mastodon+\(MastodonServer.base(of: server))" }

    /// Two: servers allow few uploads in a time.
    public var width: Int { 2 }

    /// Asks for the server's limits and for the account that the token belongs to.
    ///
    /// - Throws: `unauthorized` for a token that the server does not take.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        let api = api(client)
        let limits = try await api.instance()?.limits ?? MediaLimits()
        _ = try await api.account()
        return limits
    }

    /// Asks the server to drop a medium that no post has.
    ///
    /// Servers before Mastodon 4.4 cannot be asked; they drop it after a time.
    @discardableResult
    public func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        guard let id = uploaded?.id ?? state.value(MastodonUpload.self)?.id else { return .removed }
        let api = api(client)
        let answer = try await api.send(
            api.request(.delete, "/api/v1/media/\(MastodonServer.segment(id))"),
            to: "remove a medium"
        )
        switch answer.status {
        case 200..<300, 410: return .removed
        // The server has no such medium, or no way to remove one.
        case 404, 405, 501: return try await isThere(id, api) ? .kept : .removed
        // A post has it.
        case 422: return .kept
        default: throw api.failure(answer, to: "remove a medium")
        }
    }

    private func isThere(_ id: String, _ api: MastodonServer) async throws -> Bool {
        let path = "/api/v1/media/\(MastodonServer.segment(id))"
        return try await api.send(api.request(.get, path), to: "ask for a medium").isSuccess
    }

    func api(_ client: PublishClient) -> MastodonServer {
        MastodonServer(url: server, token: token, client: client)
    }
}
