/// A body as it comes: non-empty pieces of at most 16 KiB, pulled by one reader.
///
/// At most 128 KiB wait for the reader; then the origin is held back until a quarter of that is left.
/// Reading throws `CancellationError` when the task is cancelled, which ends the transfer; `truncated_body`,
/// `timeout_idle`, `too_slow`, `timeout_total`, `too_many_bytes` or `protocol_error` when the rest does not come.
/// What came before an error is read before the error.
public struct BodyStream: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = [UInt8]
    /// What goes wrong on the way.
    public typealias Failure = any Error

    /// Reads the body.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let source: any BodySource

        /// Waits for the next piece; `nil` at the end of a complete body.
        public mutating func next() async throws -> [UInt8]? {
            try await source.next()
        }

        /// Waits for the next piece; `nil` at the end of a complete body.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            try await source.next()
        }
    }

    let source: any BodySource

    var timings: HTTPTimings { source.timings }

    /// The bytes that came and have not been read, at most 128 KiB.
    public var bufferedBytes: Int { source.bufferedBytes }

    /// Creates the iterator; all iterators of one body share its position.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// Reads all that is left.
    public func collect() async throws -> [UInt8] {
        guard var bytes = try await source.next() else { return [] }
        while let chunk = try await source.next() { bytes += chunk }
        return bytes
    }
}
