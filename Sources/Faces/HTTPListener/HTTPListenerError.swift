import CalotypeFiles

/// An error of a listener or of reading a request's body, or the reason why the listener refuses a request.
public struct HTTPListenerError: Error, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let description: String

        /// The configured address is not an address, or the head of a request is not acceptable.
        public static let invalidRequest = Code(description: "invalid_request")
        /// The system refused to listen.
        public static let connectFailed = Code(description: "connect_failed")
        /// The client disconnected.
        public static let connectionReset = Code(description: "connection_reset")
        /// The body exceeds its limit.
        public static let tooManyBytes = Code(description: "too_many_bytes")
    }

    /// What went wrong.
    public let code: Code
    /// A message for people.
    public let message: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?
    /// The status of the response, if the listener refuses a request with this error.
    let status: Int

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        status = 500
        self.message = message
        self.cause = cause
    }

    /// Creates the error of a failed system call.
    init(_ cause: SystemError) {
        self.init(.connectFailed, cause.description, cause: cause)
    }

    /// Creates an error that refuses a request.
    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
        code = status == 413 ? .tooManyBytes : .invalidRequest
        cause = nil
    }

    /// The message.
    public var description: String { message }
}
