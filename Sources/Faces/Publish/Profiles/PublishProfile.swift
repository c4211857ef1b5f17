public import CalotypeCore
public import CalotypeHTTP

/// A server to publish to, with everything that publishing there needs.
public struct PublishProfile: Hashable, Sendable {
    /// The server's address.
    public var address: DestinationAddress
    /// The credentials.
    public var credentials: PublishCredentials
    /// The URL that accepts the post, for servers that accept only media.
    public var postURL: WebURL?
    /// How to find out whether a post has arrived after a lost response; `nil` for the default of the kind.
    public var settling: PostSettling?
    /// How many media to send concurrently; `nil` for the destination's default.
    public var width: Int?
    /// Whether to allow `http` for other machines than this one.
    public var allowsHTTP = false

    /// Creates the profile of a server.
    public init(_ address: DestinationAddress, _ credentials: PublishCredentials = PublishCredentials()) {
        self.address = address
        self.credentials = credentials
    }
}

extension PublishProfile {
    /// Returns the profile's server as a destination.
    ///
    /// - Throws: `invalid_request` if something is missing that the server's kind needs; the message names
    ///   the option, the profile's entry and the variable that can provide it.
    public func destination() throws(CalotypeError) -> any PublishDestination {
        switch address.kind {
        case .plain:
            // A URL that ends in a slash is a folder; any other accepts files by `POST`.
            let isFolder = address.url.withoutQuery.hasSuffix("/")
            return PlainDestination(
                folder: address.url,
                method: isFolder ? .put : .post,
                post: try plainPost(),
                authorization: authorization
            )
        case .tus:
            return TusDestination(endpoint: address.url, post: try plainPost(), authorization: authorization)
        case .mastodon:
            return MastodonDestination(server: address.url, token: try token())
        case .s3:
            let keys = try keys()
            guard let region = credentials.region else {
                return try S3Destination(address.url, credentials: keys)
            }
            return try S3Destination(address.url, region: region, credentials: keys)
        case .wordpress:
            let (user, password) = try login()
            return WordPressDestination(site: address.url, user: user, password: password)
        }
    }

    private func token() throws(CalotypeError) -> Secret {
        guard let token = credentials.token else {
            throw Self.missing("\(address) needs a token: set CALOTYPE_TOKEN, or a profile's \"token\"")
        }
        return token
    }

    private func keys() throws(CalotypeError) -> S3Credentials {
        guard let keys = credentials.keys else {
            throw Self.missing(
                "\(address) needs keys: set CALOTYPE_ACCESS_KEY and CALOTYPE_SECRET_KEY, or a profile's \"access_key\" and "
                    + "\"secret_key\""
            )
        }
        return keys
    }

    private func login() throws(CalotypeError) -> (user: String, password: Secret) {
        guard let user = credentials.user, let password = credentials.password else {
            throw Self.missing(
                "\(address) needs a user: set CALOTYPE_USER and CALOTYPE_PASSWORD (an application password), or a profile's "
                    + "\"user\" and \"password\""
            )
        }
        return (user, password)
    }

    private func plainPost() throws(CalotypeError) -> PlainPost {
        guard let postURL else {
            throw Self.missing(
                "\(address) stores media only: set where the post goes (--post-to, \"post_to\")"
            )
        }
        // The credentials of the media's server are not for another origin.
        let isSameOrigin = postURL.origin == address.url.origin
        return PlainPost(
            postURL,
            settling: settling ?? .ask,
            authorization: isSameOrigin ? authorization : nil
        )
    }

    /// The value of the `Authorization` header.
    private var authorization: Secret? {
        if let token = credentials.token { return .bearer(token) }
        guard let user = credentials.user, let password = credentials.password else { return nil }
        return .basic(user, password)
    }

    private static func missing(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidRequest, reason, stage: .request)
    }
}
