/// An error for an invalid part of an HTTP message.
public struct HTTPMessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable word for it.
        public let description: String

        /// A header field whose name is not a token, or whose value could smuggle in another field.
        public static let invalidField = Code(description: "invalid_field")
        /// A method that is not a token, or one that a client does not send.
        public static let invalidMethod = Code(description: "invalid_method")
        /// A head that is not HTTP.
        public static let malformedHead = Code(description: "malformed_head")
        /// A head with more bytes or lines than allowed.
        public static let headTooLarge = Code(description: "head_too_large")
        /// A body that is not the multipart form that its type promises.
        public static let malformedForm = Code(description: "malformed_form")
    }

    /// The kind of error.
    public let code: Code
    /// A readable description of what is wrong.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
