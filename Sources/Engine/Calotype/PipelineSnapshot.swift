import CalotypeCodec
public import CalotypeCore
public import CalotypeHTTP
public import CalotypeStore
import TaskFlow

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
    /// Exchanges that have a connection's permit, those that wait for one, and those that wait for a name.
    public var connections = 0
    /// Those of ``connections`` whose host's name is being resolved; they have no permit yet.
    public var waitingForNames = 0
    /// Those of ``connections`` that wait for a permit, be it for one of their host or for one of all.
    public var waitingForConnections = 0
    /// Those of ``waitingForConnections`` that wait for one of their host; hosts for which nobody waits are left out.
    public var waitingPerHost: [WebURL.Origin: Int] = [:]
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

extension ImagePipeline {
    /// What the pipeline holds now.
    public var snapshot: PipelineSnapshot {
        let memory = sourceMemory.snapshot
        let network = client.snapshot
        let load = codec.load
        var snapshot = PipelineSnapshot()
        snapshot.flights = pictures.flightCount + decodes.flightCount + sources.flightCount
        snapshot.tasks = scope.activeCount
        snapshot.backgroundTasks = background.taskCount
        snapshot.registryEntries = decodes.setCount + sources.liveCount + sources.feedCount
        snapshot.connections = network.resolving + network.active + network.waiting
        snapshot.waitingForNames = network.resolving
        snapshot.waitingForConnections = network.waiting
        snapshot.waitingPerHost = network.waitingPerOrigin
        snapshot.encodedBytes = ByteCount(memory.used)
        snapshot.waitingForMemory = memory.waiting
        snapshot.decodes = load.running + load.waiting
        snapshot.waitingForDecodes = load.waiting
        snapshot.decodedBytes = load.bytes
        return snapshot
    }

    /// What the memory cache holds, and how often it helped.
    public var memoryCache: MemoryCacheSnapshot { pictures.memorySnapshot }

    /// How many entries the lasting store has taken so far; one that does not count them was given them, and has not refused.
    public var storedCount: Int { store?.storedCount ?? 0 }

    /// How many bytes of sources have come over the network so far, those of cut downloads included.
    public var receivedBytes: ByteCount { intake.receivedBytes }

    /// Waits until the lasting store has taken or refused what it was given before, for at most five seconds.
    public func flushStore() async {
        await store?.flush()
    }
}
