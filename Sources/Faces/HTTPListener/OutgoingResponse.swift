public import CalotypeHTTPMessages

/// An answer; what HTTP asks of every answer (length, date, HEAD, ranges, conditions) is the listener's work.
public struct OutgoingResponse: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        /// Nothing.
        case none
        /// These bytes.
        case bytes([UInt8])
        /// Pieces as the client takes them; without a length they are sent in chunks.
        ///
        /// The sequence is read in the task of the request, and left when the client goes away. One that ends early or
        /// throws cuts the connection, so that the client does not take the part for the whole.
        case stream(length: Int?, any AsyncSequence<[UInt8], any Error> & Sendable)
        /// What a function writes, as the client takes it; without a length it is sent in chunks.
        ///
        /// The function runs in the task of the request, so that it may have child tasks: the task is cancelled when the client
        /// goes away, and has ended when the function has returned. What it throws cuts the connection.
        case written(length: Int?, by: @Sendable (BodyWriter) async throws -> Void)
    }

    /// The status code, 200 to 999.
    public var status: Int
    /// The header fields besides those that the listener adds.
    ///
    /// `ETag` and `Last-Modified` among them make a 200 answer
    /// conditional: the listener turns it into 304 or 412, and bytes into 206 or 416, as the request asks.
    ///
    /// `Content-Length`, `Transfer-Encoding` and `Connection` are the listener's own and left out here, but
    /// `Connection: close`. A field whose value has a tab or a line break is left out too.
    public var headers: HTTPHeaders
    /// What follows the head; for HEAD it is left out, its length told.
    public var body: Body
    /// What the responder wants to be told again at the end of the exchange; it is not sent.
    public var note: (any Sendable)?

    /// Creates an answer.
    public init(_ status: Int, _ headers: HTTPHeaders = HTTPHeaders(), _ body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    var isStream: Bool {
        switch body {
        case .stream, .written: true
        case .none, .bytes: false
        }
    }
}

extension OutgoingResponse {
    /// Applies the method, the conditions and the range of a request, for a server that has a listener of its own.
    ///
    /// ``HTTPListener`` does this by itself. Depending on `ETag` and `Last-Modified`, a 200 response becomes 304 or 412,
    /// and bytes become 206 or 416. The response to HEAD has no body, and a `Content-Length` if its length is known.
    ///
    /// - Parameter request: The request that this response answers.
    /// - Returns: The response to send.
    public func settled(for request: IncomingRequest) -> OutgoingResponse {
        let conditional = ConditionalAnswer(self, to: request, now: .now())
        var response = self
        conditional.apply(to: &response)
        if case .bytes(let bytes) = response.body, let range = conditional.range {
            response.body = .bytes(Array(bytes[range]))
        }
        let isHead = request.method == "HEAD"
        guard isHead || response.status == 304 || response.status == 204 else { return response }
        if isHead, response.status != 304, let length = response.body.length {
            response.headers.append(HeaderField("Content-Length", "\(length)"))
        }
        response.body = .none
        return response
    }
}

extension OutgoingResponse.Body {
    /// The number of bytes, if it is known.
    fileprivate var length: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .stream(let length, _), .written(let length, _): length
        }
    }
}

/// Takes the bytes of an answer from the function that writes them.
///
/// At most 128 KiB and one piece wait for the client. One task writes at a time.
public struct BodyWriter: Sendable {
    private let taking: @Sendable ([UInt8]) async throws -> Void
    private let takingIfIdle: @Sendable ([UInt8]) -> Bool

    /// Creates a writer from what takes the pieces.
    ///
    /// - Parameters:
    ///   - taking: Takes a piece, and returns when there is room for the next.
    ///   - takingIfIdle: Takes a piece where no other waits, and says whether it did.
    public init(
        _ taking: @escaping @Sendable ([UInt8]) async throws -> Void,
        ifIdle takingIfIdle: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.taking = taking
        self.takingIfIdle = takingIfIdle
    }

    /// Writes a piece, and returns when there is room for the next.
    ///
    /// - Throws: `CancellationError` where the client has gone or the task is cancelled.
    public func write(_ piece: [UInt8]) async throws {
        try await taking(piece)
    }

    /// Writes a piece at once where no other waits to be sent; it may be called while another task writes.
    ///
    /// - Returns: Whether it was taken.
    @discardableResult
    public func writeIfIdle(_ piece: [UInt8]) -> Bool {
        takingIfIdle(piece)
    }
}
