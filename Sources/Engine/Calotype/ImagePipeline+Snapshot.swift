import CalotypeCodec
public import CalotypeCore
import CalotypeHTTP
public import CalotypeStore
import Synchronization
import TaskFlow

extension ImagePipeline {
    /// What the pipeline holds now.
    public var snapshot: PipelineSnapshot {
        let memory = sources.loader.memory.snapshot
        let network = sources.loader.client.snapshot
        let load = codec.load
        var snapshot = PipelineSnapshot()
        snapshot.flights = pictures.flightCount + decodes.flightCount + sources.flightCount
        snapshot.tasks = scope.activeCount
        snapshot.backgroundTasks = background.taskCount
        snapshot.registryEntries = decodes.setCount + sources.liveCount + sources.feeds.count
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
    public var receivedBytes: ByteCount { ByteCount(sources.loader.received.load(ordering: .relaxed)) }

    /// Waits until the lasting store has taken or refused what it was given before, for at most five seconds.
    public func flushStore() async {
        await store?.flush()
    }
}
