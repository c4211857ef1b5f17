import Calotype
import CalotypeCodec
import CalotypeServer

/// How full the server's gates are.
struct GateLevels: Hashable, Sendable, Encodable {
    /// One gate.
    struct Level: Hashable, Sendable, Encodable {
        let used: Int
        /// `nil` where there is no limit.
        let limit: Int?
        /// Those who wait at it, where that is known.
        var waiting: Int?
    }

    let names: Level
    let connections: Level
    let encodedBytes: Level
    let decodes: Level
    let decodedBytes: Level
    let queue: Level
    let flights: Int

    init(_ server: ThumbnailServer) {
        let snapshot = server.pipeline.snapshot
        let limits = server.pipelineConfiguration
        let waiting = snapshot.waitingForConnections
        names = Level(used: snapshot.waitingForNames, limit: nil)
        connections = Level(
            used: snapshot.connections - snapshot.waitingForNames - waiting,
            limit: limits.connections,
            waiting: waiting
        )
        encodedBytes = Level(
            used: snapshot.encodedBytes.bytes,
            limit: limits.encodedBytes.bytes,
            waiting: snapshot.waitingForMemory
        )
        decodes = Level(
            used: snapshot.decodes - snapshot.waitingForDecodes,
            limit: limits.codec.threads,
            waiting: snapshot.waitingForDecodes
        )
        decodedBytes = Level(used: snapshot.decodedBytes.bytes, limit: limits.codec.memory.bytes)
        queue = Level(used: server.queueLevel.used, limit: server.queueLevel.limit)
        flights = snapshot.flights
    }
}
