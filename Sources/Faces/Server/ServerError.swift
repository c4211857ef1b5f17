public import CalotypeCore

/// Why a request is not answered with an image, or why a server does not start.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status of the response; 500 if a server does not start.
    public var status: Int
    /// What the client may know, such as `Invalid URL`.
    public var publicMessage: String
    /// The stable word.
    public var code: ErrorCode
    /// What is wrong, for the log and for developers.
    public var message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    /// Creates an error.
    public init(_ status: Int, _ publicMessage: String, _ code: ErrorCode, _ message: String) {
        self.status = status
        self.publicMessage = publicMessage
        self.code = code
        self.message = message
    }
}

extension ServerError {
    /// A setting that makes no sense; a server does not start with it.
    static func configuration(_ message: String) -> ServerError {
        ServerError(500, "Internal error", .invalidConfiguration, message)
    }

    /// Status 404: path, option, preset or encoding make no sense.
    static func invalid(_ message: String, _ code: ErrorCode = .invalidURL) -> ServerError {
        ServerError(404, "Invalid URL", code, message)
    }

    /// Status 404: what is asked for is known, and not done.
    static func unsupported(_ what: String) -> ServerError {
        invalid("\(what) not supported", .unsupportedOption)
    }

    /// Status 403: the option may not be set.
    static func forbidden(_ message: String) -> ServerError {
        ServerError(403, "Invalid URL", .forbiddenOption, message)
    }

    /// Status 403: the signature is not right.
    static func unsigned(_ message: String) -> ServerError {
        ServerError(403, "Forbidden", .invalidSignature, message)
    }

    /// Status 404: the source may not be asked.
    static func blockedSource(_ message: String) -> ServerError {
        ServerError(404, "Invalid source URL", .blockedSource, message)
    }

    /// Status 404: nobody here speaks with such a source.
    static func unreachable(_ message: String) -> ServerError {
        ServerError(404, "Source is unreachable", .unsupportedScheme, message)
    }

    /// Status 422: no picture of such a format is made.
    static func unsupportedFormat(_ message: String) -> ServerError {
        ServerError(422, "Invalid URL", .unsupportedFormat, message)
    }

    /// `text` as it is shown in a message: its beginning only, without passwords, in quotes.
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
    /// A setting of the server makes no sense, or not together with another.
    public static let invalidConfiguration = ErrorCode(rawValue: "invalid_configuration")
    /// The process may not open as many files as the configuration of the server needs.
    public static let tooFewDescriptors = ErrorCode(rawValue: "too_few_descriptors")
}
