public import CalotypeCore
public import CalotypeHTTP

/// A server to publish to, and all that is needed there.
public struct PublishProfile: Hashable, Sendable {
    /// The server.
    public var address: DestinationAddress
    /// What it asks.
    public var credentials: PublishCredentials
    /// Where the post goes, for servers that take media only.
    public var postURL: WebURL?
    /// How it is found out whether a post has arrived whose answer was lost; the kind's own way where `nil`.
    public var settling: PostSettling?
    /// How many media are sent at a time; the server's own number where `nil`.
    public var width: Int?
    /// Whether `http` may be spoken with other machines than this one.
    public var allowsHTTP = false

    /// Creates the profile of a server.
    public init(_ address: DestinationAddress, _ credentials: PublishCredentials = PublishCredentials()) {
        self.address = address
        self.credentials = credentials
    }
}

extension PublishProfile {
    /// The server of the profile, ready to be published to.
    ///
    /// - Throws: `invalid_request` where something is missing that its kind needs; the message names the option, the profile's
    ///   entry and the variable that give it.
    public func destination() throws(CalotypeError) -> any PublishDestination {
        switch address.kind {
        case .plain:
            // A folder ends in a slash; all else is a place that takes files by POST.
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
            throw Self.missing("\(address) wants a token: set CALOTYPE_TOKEN, or a profile's \"token\"")
        }
        return token
    }

    private func keys() throws(CalotypeError) -> S3Credentials {
        guard let keys = credentials.keys else {
            throw Self.missing(
                "\(address) wants keys: set CALOTYPE_ACCESS_KEY and CALOTYPE_SECRET_KEY, or a profile's \"access_key\" and "
                    + "\"secret_key\""
            )
        }
        return keys
    }

    private func login() throws(CalotypeError) -> (user: String, password: Secret) {
        guard let user = credentials.user, let password = credentials.password else {
            throw Self.missing(
                "\(address) wants a user: set CALOTYPE_USER and CALOTYPE_PASSWORD (an application password), or a profile's "
                    + "\"user\" and \"password\""
            )
        }
        return (user, password)
    }

    private func plainPost() throws(CalotypeError) -> PlainPost {
        guard let postURL else {
            throw Self.missing(
                "\(address) takes media only: say where the post goes (--post-to, \"post_to\")"
            )
        }
        // What the media's server is told is not for another one.
        let isSameOrigin = postURL.origin == address.url.origin
        return PlainPost(
            postURL,
            settling: settling ?? .ask,
            authorization: isSameOrigin ? authorization : nil
        )
    }

    /// The value of an `Authorization` field.
    private var authorization: Secret? {
        if let token = credentials.token { return .bearer(token) }
        guard let user = credentials.user, let password = credentials.password else { return nil }
        return .basic(user, password)
    }

    private static func missing(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidRequest, reason, stage: .request)
    }
}
