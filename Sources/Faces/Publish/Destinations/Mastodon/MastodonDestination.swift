internal import CalotypeCore
public import CalotypeHTTP

/// An account on a server with the Mastodon API: Mastodon itself or a compatible server.
///
/// A medium is sent as a form, and the server is polled until it has processed the medium. If the response is
/// lost, the medium is sent again: servers delete media without a post by themselves. The post carries a key,
/// by which Mastodon recognizes a repetition for an hour. After that hour, and on servers that are not known
/// to store keys, the account's posts are searched before the post is sent again.
///
/// The number of requests left in a rate limit window is ignored. There are several windows, a response
/// describes only one of them, and the refusal of an excess request says when to try again.
public struct MastodonDestination: PublishDestination {
    /// The server's base URL: what precedes `/api/v1` in the API's URLs.
    public let server: WebURL
    private let token: Secret

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - server: The server's base URL, such as `https://example.org/`.
    ///   - token: An access token of the account, with the scopes `read`, `write:media` and `write:statuses`.
    public init(server: WebURL, token: Secret) {
        self.server = server
        self.token = token
    }

    /// The kind and the URL.
    public var name: String { "mastodon+\(MastodonServer.base(of: server))" }

    /// Two: servers limit the rate of uploads.
    public var width: Int { 2 }

    /// Requests the server's limits and the account that the token belongs to.
    ///
    /// - Throws: `unauthorized` if the server does not accept the token.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        let api = api(client)
        let limits = try await api.instance()?.limits ?? MediaLimits()
        _ = try await api.account()
        return limits
    }

    /// Asks the server to delete a medium that belongs to no post.
    ///
    /// Servers before Mastodon 4.4 have no such request; they delete the medium after some time.
    @discardableResult
    public func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        guard let id = uploaded?.id ?? state.value(MastodonUpload.self)?.id else { return .removed }
        let api = api(client)
        let response = try await api.send(
            api.request(.delete, "/api/v1/media/\(MastodonServer.segment(id))"),
            to: "remove a medium"
        )
        switch response.status {
        case 200..<300, 410: return .removed
        // The server has no such medium, or cannot delete one.
        case 404, 405, 501: return try await isThere(id, api) ? .kept : .removed
        // A post uses the medium.
        case 422: return .kept
        default: throw api.failure(response, to: "remove a medium")
        }
    }

    private func isThere(_ id: String, _ api: MastodonServer) async throws -> Bool {
        let path = "/api/v1/media/\(MastodonServer.segment(id))"
        return try await api.send(api.request(.get, path), to: "check a medium").isSuccess
    }

    func api(_ client: PublishClient) -> MastodonServer {
        MastodonServer(url: server, token: token, client: client)
    }
}
