public import CalotypeHTTP

/// A request as it came.
public struct IncomingRequest: Sendable {
    /// The method as it was written, such as `GET`.
    public let method: String
    /// The target exactly as it stands in the request line: nothing is decoded, nothing cut.
    public let target: String
    /// The header fields in order.
    public let headers: HTTPHeaders
    /// The client's address without its port.
    public let client: String
    /// When its head had come.
    public let arrival: ContinuousClock.Instant
    /// Whether an answer without a length comes in chunks, whose last one tells the end; `false` for HTTP/1.0, where the end of the
    /// connection is the end of the answer, also of one that is cut.
    public let takesChunks: Bool
    /// What follows the head; empty for most.
    public let body: IncomingBody

    /// Creates a request.
    public init(
        method: String,
        target: String,
        headers: HTTPHeaders,
        client: String,
        arrival: ContinuousClock.Instant,
        takesChunks: Bool = true,
        body: IncomingBody
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.client = client
        self.arrival = arrival
        self.takesChunks = takesChunks
        self.body = body
    }
}
