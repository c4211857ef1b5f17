import CalotypeCodec
public import CalotypeCore
public import CalotypeHTTP
public import CalotypeStore
import TaskFlow

/// The resources that a pipeline holds at one moment.
///
/// All are zero when it is quiet.
public struct PipelineSnapshot: Hashable, Sendable {
    /// Flights in progress, including cancelled ones: pictures, decodes and downloads that callers share.
    public var flights = 0
    /// Tasks that the pipeline owns.
    public var tasks = 0
    /// Background tasks that outlive their callers.
    public var backgroundTasks = 0
    /// Registry entries: sets of pictures that share a decode, complete sources in use, watched sources.
    public var registryEntries = 0
    /// Exchanges that hold a connection's permit, wait for one, or wait for name resolution.
    public var connections = 0
    /// The part of ``connections`` that waits for name resolution.
    ///
    /// These have no permit yet.
    public var waitingForNames = 0
    /// The part of ``connections`` that waits for a permit, for its host or for all hosts.
    public var waitingForConnections = 0
    /// The part of ``waitingForConnections`` that waits for its host.
    ///
    /// Omits hosts without waiters.
    public var waitingPerHost: [WebURL.Origin: Int] = [:]
    /// Encoded bytes admitted to memory.
    public var encodedBytes = ByteCount(0)
    /// Loads that wait for memory.
    public var waitingForMemory = 0
    /// Decodes that are running or waiting for a core.
    public var decodes = 0
    /// The part of ``decodes`` that is waiting.
    public var waitingForDecodes = 0
    /// The memory admitted for decodes, in bytes.
    public var decodedBytes = ByteCount(0)

    /// Creates the snapshot of a quiet pipeline.
    public init() {}

    /// Whether no work is in progress.
    public var isQuiet: Bool {
        self == PipelineSnapshot()
    }
}

extension ImagePipeline {
    /// The resources that the pipeline holds now.
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
        snapshot.encodedBytes = ByteCount(memory.used + sourceMemory.uploadBytes)
        snapshot.waitingForMemory = memory.waiting
        snapshot.decodes = load.running + load.waiting
        snapshot.waitingForDecodes = load.waiting
        snapshot.decodedBytes = load.bytes
        return snapshot
    }

    /// The contents of the memory cache, and its hit counts.
    public var memoryCache: MemoryCacheSnapshot { pictures.memorySnapshot }

    /// The number of entries that the persistent store has accepted so far.
    ///
    /// For a store that does not count them, the number of entries passed to it that it did not refuse.
    public var storedCount: Int { store?.storedCount ?? 0 }

    /// The number of source bytes received from the network so far, including those of cut downloads.
    public var receivedBytes: ByteCount { intake.receivedBytes }

    /// Waits until the persistent store has accepted or refused all earlier entries, at most five seconds.
    public func flushStore() async {
        await store?.flush()
    }
}
