public import CalotypeHTTPMessages

/// A response.
///
/// The listener adds what HTTP requires: length, date, HEAD, ranges and conditions.
public struct OutgoingResponse: Sendable {
    /// The content after the head.
    public enum Body: Sendable {
        /// No content.
        case none
        /// These bytes.
        case bytes([UInt8])
        /// Pieces that are sent at the client's speed; in chunks if there is no length.
        ///
        /// The request's task reads the sequence, and stops when the client disconnects. If the sequence ends
        /// early or throws, the listener closes the connection, so that the client does not take the part for
        /// the whole.
        case stream(length: Int?, any AsyncSequence<[UInt8], any Error> & Sendable)
        /// Bytes that a function writes at the client's speed; sent in chunks if there is no length.
        ///
        /// The function runs in the task of the request, so it may have child tasks. The task is cancelled
        /// when the client disconnects, and ends when the function returns. If the function throws, the
        /// listener closes the connection.
        case written(length: Int?, by: @Sendable (BodyWriter) async throws -> Void)
    }

    /// The status code, 200 to 999.
    public var status: Int
    /// The header fields in addition to those that the listener adds.
    ///
    /// `ETag` and `Last-Modified` make a 200 response conditional: depending on the request, the listener
    /// turns it into a 304 or 412, and bytes into a 206 or 416.
    ///
    /// The listener sets `Content-Length`, `Transfer-Encoding` and `Connection` itself and ignores them here,
    /// except `Connection: close`. It also omits a field whose value contains a tab or a line break.
    public var headers: HTTPHeaders
    /// The content after the head.
    ///
    /// A response to HEAD omits it and announces its length.
    public var body: Body
    /// A value that the responder receives back at the end of the exchange; it is not sent.
    public var note: (any Sendable)?

    /// Creates a response.
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
    /// Applies the method, the conditions and the range of a request, for a server with its own listener.
    ///
    /// ``HTTPListener`` does this by itself. Depending on `ETag` and `Last-Modified`, a 200 response becomes
    /// a 304 or 412, and bytes become a 206 or 416. The response to HEAD has no body, and a `Content-Length`
    /// if its length is known.
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

/// Receives the bytes of a response from the function that writes them.
///
/// At most 128 KiB and one piece wait for the client. Only one task may write at a time.
public struct BodyWriter: Sendable {
    private let taking: @Sendable ([UInt8]) async throws -> Void
    private let takingIfIdle: @Sendable ([UInt8]) -> Bool

    /// Creates a writer from functions that accept the pieces.
    ///
    /// - Parameters:
    ///   - taking: Accepts a piece, and returns when there is room for the next.
    ///   - takingIfIdle: Accepts a piece if no other waits, and returns whether it did.
    public init(
        _ taking: @escaping @Sendable ([UInt8]) async throws -> Void,
        ifIdle takingIfIdle: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.taking = taking
        self.takingIfIdle = takingIfIdle
    }

    /// Writes a piece, and returns when there is room for the next.
    ///
    /// - Throws: `CancellationError` if the client has disconnected or the task is cancelled.
    public func write(_ piece: [UInt8]) async throws {
        try await taking(piece)
    }

    /// Writes a piece immediately if no other waits to be sent; may be called while another task writes.
    ///
    /// - Returns: Whether the piece was accepted.
    @discardableResult
    public func writeIfIdle(_ piece: [UInt8]) -> Bool {
        takingIfIdle(piece)
    }
}
