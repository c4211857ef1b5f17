/// Whom an S3 server knows a client as.
public struct S3Credentials: Hashable, Sendable {
    /// The name of the key, which is no secret.
    public let accessKey: String
    /// The key that signs.
    public let secretKey: Secret
    /// The token of a session, where the keys are those of one.
    public let sessionToken: Secret?

    /// Creates credentials.
    public init(accessKey: String, secretKey: Secret, sessionToken: Secret? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}
