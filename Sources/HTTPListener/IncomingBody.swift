/// The bytes that follow a request's head, piece by piece as they come; the client is slowed down to the reader's speed.
public struct IncomingBody: AsyncSequence, Sendable {
    /// Gives the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        /// The next piece; `nil` at the end.
        ///
        /// - Throws: why no more comes: the client went away, it sent too much or nothing for too long; `CancellationError`.
        public mutating func next() async throws -> [UInt8]? { nil }
    }

    /// A body without bytes.
    public static let empty = IncomingBody()

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
