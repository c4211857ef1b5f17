public import CalotypeCore

/// Why a request is not answered with a picture.
public struct RequestError: Error, Hashable, Sendable {
    /// The status of the answer.
    public var status: Int
    /// What the client is told, such as `Invalid URL`.
    public var publicMessage: String
    /// The stable word.
    public var code: ErrorCode
    /// What was wrong, for the log and for developers.
    public var detail: String

    /// Creates a refusal.
    public init(_ status: Int, _ publicMessage: String, _ code: ErrorCode, _ detail: String) {
        self.status = status
        self.publicMessage = publicMessage
        self.code = code
        self.detail = detail
    }
}

extension RequestError {
    /// Status 404: path, option, preset or encoding make no sense.
    static func invalid(_ detail: String, _ code: ErrorCode = .invalidURL) -> RequestError {
        RequestError(404, "Invalid URL", code, detail)
    }

    /// Status 404: what is asked for is known, and not done.
    static func unsupported(_ what: String) -> RequestError {
        invalid("\(what) not supported", .unsupportedOption)
    }

    /// Status 403: the option may not be set.
    static func forbidden(_ detail: String) -> RequestError {
        RequestError(403, "Invalid URL", .forbiddenOption, detail)
    }

    /// Status 403: the signature is not right.
    static func unsigned(_ detail: String) -> RequestError {
        RequestError(403, "Forbidden", .invalidSignature, detail)
    }

    /// Status 404: the source may not be asked.
    static func blockedSource(_ detail: String) -> RequestError {
        RequestError(404, "Invalid source URL", .blockedSource, detail)
    }

    /// Status 404: nobody here speaks with such a source.
    static func unreachable(_ detail: String) -> RequestError {
        RequestError(404, "Source is unreachable", .unsupportedScheme, detail)
    }

    /// Status 422: no picture of such a format is made.
    static func unsupportedFormat(_ detail: String) -> RequestError {
        RequestError(422, "Invalid URL", .unsupportedFormat, detail)
    }

    /// `text` as it is shown in a detail: its beginning only, without passwords, in quotes.
    static func quoted(_ text: some StringProtocol) -> String {
        let text = URLCredentials.removed(in: String(text))
        return text.utf8.count > 64 ? "'\(text.prefix(64))...'" : "'\(text)'"
    }
}

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
