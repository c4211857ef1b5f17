public import CalotypeHTTPMessages

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

/// The bytes that follow a request's head, piece by piece as they come; the client is slowed down to the reader's speed.
///
/// At most 128 KiB wait for the reader. A client that asked whether to send (`Expect: 100-continue`) is told so when the
/// reader asks for the first piece.
public struct IncomingBody: AsyncSequence, Sendable {
    /// A piece of the body, not empty.
    public typealias Element = [UInt8]
    /// What goes wrong on the way.
    public typealias Failure = any Error

    /// Gives the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let read: @Sendable () async throws -> [UInt8]?

        /// The next piece; `nil` at the end.
        ///
        /// - Throws: `connection_reset` where the client went away, `too_many_bytes` where it sent too much;
        ///   `CancellationError` where the task is cancelled.
        public mutating func next() async throws -> [UInt8]? { try await read() }

        /// The next piece; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            try await read()
        }
    }

    private let read: @Sendable () async throws -> [UInt8]?

    /// A body without bytes.
    public static let empty = IncomingBody { nil }

    /// Creates a body from what gives its pieces, one reader at a time, and `nil` at its end.
    public init(reading read: @escaping @Sendable () async throws -> [UInt8]?) {
        self.read = read
    }

    /// Creates the iterator; all iterators of one body share its position.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read) }

    /// Reads all that is left; the listener's limit bounds it.
    public func collect() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await read() { bytes += piece }
        return bytes
    }
}
