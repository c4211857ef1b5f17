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
