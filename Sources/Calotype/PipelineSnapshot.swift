public import CalotypeHTTP

/// What a pipeline holds at one moment; all zero when it is quiet.
public struct PipelineSnapshot: Hashable, Sendable {
    /// Loads that are shared by callers waiting for the same rendition.
    public var flights: Int
    /// Encoded bytes admitted to memory.
    public var encodedBytes: Int
    /// Spooled and waiting requests for memory.
    public var waitingForMemory: Int
    /// Tasks that the pipeline owns.
    public var tasks: Int

    /// Whether nothing is going on.
    public var isQuiet: Bool {
        self == PipelineSnapshot(flights: 0, encodedBytes: 0, waitingForMemory: 0, tasks: 0)
    }
}
