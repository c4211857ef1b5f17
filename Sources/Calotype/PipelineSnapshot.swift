public import CalotypeCore

/// What a pipeline holds at one moment; all zero when it is quiet.
public struct PipelineSnapshot: Hashable, Sendable {
    /// Pictures, decodes and downloads under way, each shared by all who want the same, cancelled ones included.
    public var flights = 0
    /// Tasks that the pipeline owns.
    public var tasks = 0
    /// Tasks in the background that outlive their callers.
    public var backgroundTasks = 0
    /// Entries in the registries: sets of pictures that share a decode, complete sources in use, watched sources.
    public var registryEntries = 0
    /// Exchanges that have a connection's permit, and those that wait for one.
    public var connections = 0
    /// Those of ``connections`` that wait for a permit.
    public var waitingForConnections = 0
    /// Encoded bytes admitted to memory.
    public var encodedBytes = ByteCount(0)
    /// Loads that wait for memory.
    public var waitingForMemory = 0
    /// Decodes that run or wait for a core.
    public var decodes = 0
    /// Those of ``decodes`` that wait.
    public var waitingForDecodes = 0
    /// Bytes that decodes were admitted for.
    public var decodedBytes = ByteCount(0)

    /// Creates the snapshot of a quiet pipeline.
    public init() {}

    /// Whether nothing is going on.
    public var isQuiet: Bool {
        self == PipelineSnapshot()
    }
}
