public import CalotypeCore

/// Why a request gets no image, or why a server does not start.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status of the response; 500 if a server does not start.
    public var status: Int
    /// The message for the client, such as `Invalid URL`.
    public var publicMessage: String
    /// The stable code.
    public var code: ErrorCode
    /// The details, for the log and for developers.
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
    /// Creates the error for an invalid setting, with which a server does not start.
    static func configuration(_ message: String) -> ServerError {
        ServerError(500, "Internal error", .invalidConfiguration, message)
    }

    /// Creates a 404: an invalid path, option, preset or encoding.
    static func invalid(_ message: String, _ code: ErrorCode = .invalidURL) -> ServerError {
        ServerError(404, "Invalid URL", code, message)
    }

    /// Creates a 404: a known feature that this server does not support.
    static func unsupported(_ what: String) -> ServerError {
        invalid("\(what) not supported", .unsupportedOption)
    }

    /// Creates a 403: an option that this path may not set.
    static func forbidden(_ message: String) -> ServerError {
        ServerError(403, "Invalid URL", .forbiddenOption, message)
    }

    /// Creates a 403: an invalid signature.
    static func unsigned(_ message: String) -> ServerError {
        ServerError(403, "Forbidden", .invalidSignature, message)
    }

    /// Creates a 404: a source that may not be requested.
    static func blockedSource(_ message: String) -> ServerError {
        ServerError(404, "Invalid source URL", .blockedSource, message)
    }

    /// Creates a 404: a source whose scheme the server does not support.
    static func unreachable(_ message: String) -> ServerError {
        ServerError(404, "Source is unreachable", .unsupportedScheme, message)
    }

    /// Creates a 422: a format that cannot be encoded.
    static func unsupportedFormat(_ message: String) -> ServerError {
        ServerError(422, "Invalid URL", .unsupportedFormat, message)
    }

    /// Quotes `text` for a message: only its start, without passwords.
    static func quoted(_ text: some StringProtocol) -> String {
        let text = URLCredentials.removed(in: String(text))
        return text.utf8.count > 64 ? "'\(text.prefix(64))...'" : "'\(text)'"
    }
}

extension ErrorCode {
    /// The path is not signed with a key of this server.
    public static let invalidSignature = ErrorCode(rawValue: "invalid_signature")
    /// The path has an option that this server does not permit.
    public static let forbiddenOption = ErrorCode(rawValue: "forbidden_option")
    /// The path requests a known feature that this server does not support.
    public static let unsupportedOption = ErrorCode(rawValue: "unsupported_option")
    /// The path has expired.
    public static let expiredURL = ErrorCode(rawValue: "expired_url")
    /// A setting of the server is invalid, or conflicts with another.
    public static let invalidConfiguration = ErrorCode(rawValue: "invalid_configuration")
    /// The process may not open as many files as the configuration of the server needs.
    public static let tooFewDescriptors = ErrorCode(rawValue: "too_few_descriptors")
}
