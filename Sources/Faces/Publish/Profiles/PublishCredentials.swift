public import CalotypeCore

/// The credentials for a server; which ones are needed depends on the kind of server.
public struct PublishCredentials: Hashable, Sendable {
    /// The bearer token.
    public var token: Secret?
    /// The user name.
    public var user: String?
    /// The password; for WordPress, an application password.
    public var password: Secret?
    /// The keys for S3; half of one pair and half of another do not count.
    public var keys: S3Credentials?
    /// The region for S3.
    public var region: String?

    /// Creates empty credentials.
    public init() {}

    /// Reads credentials from environment variables.
    ///
    /// They are `CALOTYPE_TOKEN`, `CALOTYPE_USER` and `CALOTYPE_PASSWORD`, and for S3 `CALOTYPE_ACCESS_KEY`,
    /// `CALOTYPE_SECRET_KEY` and `CALOTYPE_REGION`, or the names that AWS's own tools read. Empty variables
    /// count as missing.
    ///
    /// - Throws: `invalid_request` for half a pair of keys, and for control characters; no value is repeated.
    public init(environment: [String: String]) throws(CalotypeError) {
        let environment = environment.filter { !$0.value.isEmpty }
        token = try Self.secret("CALOTYPE_TOKEN", environment)
        user = try Self.secret("CALOTYPE_USER", environment)?.text
        password = try Self.secret("CALOTYPE_PASSWORD", environment)
        keys = try Self.keys(
            "CALOTYPE_ACCESS_KEY",
            "CALOTYPE_SECRET_KEY",
            "CALOTYPE_SESSION_TOKEN",
            environment
        )
        if keys == nil {
            keys = try Self.keys(
                "AWS_ACCESS_KEY_ID",
                "AWS_SECRET_ACCESS_KEY",
                "AWS_SESSION_TOKEN",
                environment
            )
        }
        region =
            ["CALOTYPE_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"].lazy.compactMap { environment[$0] }.first
    }

    /// Returns these credentials, with missing ones taken from `other`.
    public func completed(by other: PublishCredentials) -> PublishCredentials {
        var whole = self
        whole.token = token ?? other.token
        whole.user = user ?? other.user
        whole.password = password ?? other.password
        whole.keys = keys ?? other.keys
        whole.region = region ?? other.region
        return whole
    }

    private static func keys(
        _ access: String,
        _ secret: String,
        _ session: String,
        _ environment: [String: String]
    ) throws(CalotypeError) -> S3Credentials? {
        let sessionToken = try self.secret(session, environment)
        switch (try self.secret(access, environment), try self.secret(secret, environment)) {
        case (nil, nil): return nil
        case (let access?, let secret?):
            return S3Credentials(accessKey: access.text, secretKey: secret, sessionToken: sessionToken)
        case (nil, _): throw invalid("\(secret) is set, but \(access) is not")
        case (_, nil): throw invalid("\(access) is set, but \(secret) is not")
        }
    }

    private static func secret(
        _ name: String,
        _ environment: [String: String]
    ) throws(CalotypeError) -> Secret? {
        guard let value = environment[name] else { return nil }
        guard isUsable(value) else {
            throw invalid("\(name) has a line break or another control character")
        }
        return Secret(value)
    }

    /// Whether the text can be sent in a header.
    static func isUsable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidRequest, reason, stage: .request)
    }
}

/// A password, token or key, which no log, report or error shows.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself.
    public let text: String

    /// Creates a secret from its text.
    public init(_ text: String) {
        self.text = text
    }

    /// A placeholder; never the text.
    public var description: String { "(secret)" }
    /// A placeholder; never the text.
    public var debugDescription: String { description }
    /// An empty mirror, without the text.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
