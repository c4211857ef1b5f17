/// What an origin said in an answer that is none to the request: a status that is no success, and when to ask again.
public struct OriginAnswer: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// When the origin wants to be asked again, from the answer on; `nil` where it did not tell.
    public var retryAfter: Duration?
    /// The length of the answer's body; `nil` where the head did not tell.
    public var bodyBytes: ByteCount?

    /// Creates an answer.
    public init(status: Int, retryAfter: Duration? = nil, bodyBytes: ByteCount? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        self.bodyBytes = bodyBytes
    }
}
