import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
public import CalotypeStore
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
        snapshot.connections = network.active + network.waiting
        snapshot.waitingForConnections = network.waiting
        snapshot.encodedBytes = ByteCount(memory.used)
        snapshot.waitingForMemory = memory.waiting
        snapshot.decodes = load.running + load.waiting
        snapshot.waitingForDecodes = load.waiting
        snapshot.decodedBytes = load.bytes
        return snapshot
    }

    /// What the memory cache holds, and how often it helped.
    public var memoryCache: MemoryCacheSnapshot { pictures.memorySnapshot }

    /// How many entries were given to the lasting store so far, those not counted that it refused.
    public var storedCount: Int { store?.storedCount ?? 0 }
}
