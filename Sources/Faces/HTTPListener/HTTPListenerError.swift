/// An error of a listener, or of reading a request's body.
public struct HTTPListenerError: Error, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable word for it.
        public let description: String

        /// The configured address is not an address.
        public static let invalidRequest = Code(description: "invalid_request")
        /// The system refuses to listen.
        public static let connectFailed = Code(description: "connect_failed")
        /// The client has gone.
        public static let connectionReset = Code(description: "connection_reset")
        /// The body is longer than its limit.
        public static let tooManyBytes = Code(description: "too_many_bytes")
    }

    /// What went wrong.
    public let code: Code
    /// What happened, for people.
    public let message: String
    /// The error below this one, if there is one.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
