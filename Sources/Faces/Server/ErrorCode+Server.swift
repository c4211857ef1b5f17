public import CalotypeCore

extension ErrorCode {
    /// The path is not signed with a key of this server.
    public static let invalidSignature = ErrorCode(rawValue: "invalid_signature")
    /// The path has an option that this server does not let be set.
    public static let forbiddenOption = ErrorCode(rawValue: "forbidden_option")
    /// The path asks for something that this server knows and does not do.
    public static let unsupportedOption = ErrorCode(rawValue: "unsupported_option")
    /// The path was good until a moment that has passed.
    public static let expiredURL = ErrorCode(rawValue: "expired_url")
}
