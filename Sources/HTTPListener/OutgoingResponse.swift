public import CalotypeHTTP

/// An answer. What HTTP asks of every answer (length, date, HEAD, ranges, conditions) is the listener's work.
public struct OutgoingResponse: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Pieces as the client takes them; without a length they are sent in chunks.
        case stream(length: Int?, any AsyncSequence<[UInt8], any Error> & Sendable)
    }

    /// The status code.
    public var status: Int
    /// The header fields besides those that the listener adds. `ETag` and `Last-Modified` among them make a 200 answer
    /// conditional: the listener turns it into 304 or 412, and bytes into 206 or 416, as the request asks.
    public var headers: HTTPHeaders
    /// What follows the head; for HEAD it is left out, its length told.
    public var body: Body

    /// Creates an answer.
    public init(_ status: Int, _ headers: HTTPHeaders = HTTPHeaders(), _ body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
