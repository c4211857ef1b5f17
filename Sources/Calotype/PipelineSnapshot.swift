public import CalotypeCore

/// What a pipeline holds at one moment; all zero when it is quiet.
public struct PipelineSnapshot: Hashable, Sendable {
    /// Loads under way, each shared by all who want the same rendition.
    public var flights = 0
    /// Tasks that the pipeline owns.
    public var tasks = 0
    /// Encoded bytes admitted to memory.
    public var encodedBytes = ByteCount(0)
    /// Loads that wait for memory.
    public var waitingForMemory = 0

    /// Whether nothing is going on.
    public var isQuiet: Bool {
        self == PipelineSnapshot()
    }
}
