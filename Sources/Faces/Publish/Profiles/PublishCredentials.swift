public import CalotypeCore

/// What a server asks before it takes a post; which of it is needed depends on the kind of server.
public struct PublishCredentials: Hashable, Sendable {
    /// The bearer token.
    public var token: Secret?
    /// The user's name.
    public var user: String?
    /// The user's password; for WordPress an application password.
    public var password: Secret?
    /// The keys of S3; half of one pair and half of another are none.
    public var keys: S3Credentials?
    /// The region of S3.
    public var region: String?

    /// Creates credentials of nothing.
    public init() {}

    /// Takes what the environment has: `CALOTYPE_TOKEN`, `CALOTYPE_USER` and `CALOTYPE_PASSWORD`, `CALOTYPE_ACCESS_KEY` and
    /// `CALOTYPE_SECRET_KEY` and `CALOTYPE_REGION`, or for the last three the names that AWS' own tools read.
    ///
    /// Empty variables count as missing.
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

    /// These credentials, and those of `other` where these have none.
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
        case (nil, _): throw invalid("\(secret) is set, and \(access) is not")
        case (_, nil): throw invalid("\(access) is set, and \(secret) is not")
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

    /// Whether it can be sent in a header field.
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

    /// Takes a secret.
    public init(_ text: String) {
        self.text = text
    }

    /// Never the text.
    public var description: String { "(secret)" }
    /// Never the text.
    public var debugDescription: String { description }
    /// Without the text.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
