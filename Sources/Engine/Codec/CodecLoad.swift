public import CalotypeCore

/// What a codec does at one moment.
public struct CodecLoad: Hashable, Sendable {
    /// Decodes and encodes that run.
    public var running: Int
    /// Those that wait for a core or for memory.
    public var waiting: Int
    /// The memory that running decodes were admitted for.
    public var bytes: ByteCount

    /// Creates a load.
    public init(running: Int, waiting: Int, bytes: ByteCount) {
        self.running = running
        self.waiting = waiting
        self.bytes = bytes
    }
}
