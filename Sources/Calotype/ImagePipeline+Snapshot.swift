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
        return PipelineSnapshot(
            flights: pictures.flightCount + decodes.flightCount + sources.flightCount,
            tasks: scope.activeCount,
            backgroundTasks: background.taskCount,
            registryEntries: decodes.setCount + sources.liveCount + sources.feeds.count,
            connections: network.active + network.waiting,
            encodedBytes: ByteCount(memory.used),
            waitingForMemory: memory.waiting,
            decodes: load.running + load.waiting,
            decodedBytes: load.bytes
        )
    }

    /// What the memory cache holds, and how often it helped.
    public var memoryCache: MemoryCacheSnapshot { pictures.memorySnapshot }
}
