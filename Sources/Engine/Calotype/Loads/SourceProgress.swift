public import CalotypeCore

/// How much of a source has come.
public struct SourceProgress: Hashable, Sendable {
    /// The bytes that have come; never fewer than before, also when a failed attempt is begun anew.
    public let received: ByteCount
    /// The bytes that the origin announced, never fewer than have come; `nil` where it did not say.
    public let expected: ByteCount?

    /// Creates a state of progress.
    public init(received: ByteCount, expected: ByteCount?) {
        self.received = received
        self.expected = expected.map { max($0, received) }
    }

    /// What has come of what was announced, 0 to 1; `nil` where nothing was announced.
    public var fraction: Double? {
        expected.map { $0.bytes == 0 ? 1 : Double(received.bytes) / Double($0.bytes) }
    }
}
