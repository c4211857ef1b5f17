public import CalotypeHTTPMessages

/// A request as received.
public struct IncomingRequest: Sendable {
    /// The method as written, such as `GET`.
    public let method: String
    /// The target exactly as in the request line: not decoded and not shortened.
    public let target: String
    /// The header fields in order.
    public let headers: HTTPHeaders
    /// The client's address without its port.
    public let client: String
    /// When the head was complete.
    public let arrival: ContinuousClock.Instant
    /// Whether a response without a length is sent in chunks, so that the client can detect its end.
    ///
    /// `false` for HTTP/1.0, where the end of the connection also ends the response, even one that is cut
    /// off.
    public let takesChunks: Bool
    /// The body; usually empty.
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

/// The bytes of a request's body, in pieces as they arrive; the client is slowed down to the reader's speed.
///
/// At most 128 KiB wait for the reader. If the client sent `Expect: 100-continue`, the listener asks it to
/// continue when the reader requests the first piece.
public struct IncomingBody: AsyncSequence, Sendable {
    /// A piece of the body, not empty.
    public typealias Element = [UInt8]
    /// The type of the errors that reading throws.
    public typealias Failure = any Error

    /// Returns the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let read: @Sendable () async throws -> [UInt8]?

        /// Returns the next piece; `nil` at the end.
        ///
        /// - Throws: `connection_reset` if the client disconnected, `too_many_bytes` if it sent too much,
        ///   `CancellationError` if the task is cancelled.
        public mutating func next() async throws -> [UInt8]? { try await read() }

        /// Returns the next piece; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            try await read()
        }
    }

    private let read: @Sendable () async throws -> [UInt8]?

    /// A body without bytes.
    public static let empty = IncomingBody { nil }

    /// Creates a body from a function that returns its pieces to one reader at a time, and `nil` at the end.
    public init(reading read: @escaping @Sendable () async throws -> [UInt8]?) {
        self.read = read
    }

    /// Creates an iterator; all iterators of one body share its position.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read) }

    /// Reads the rest of the body, up to the listener's limit.
    public func collect() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await read() { bytes += piece }
        return bytes
    }
}
