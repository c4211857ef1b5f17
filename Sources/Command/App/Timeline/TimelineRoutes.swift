import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeServer
import TaskFlow

/// The route for the timeline, which is a stream of events.
struct TimelineRoutes: Sendable {
    /// The minimum time between two events.
    static let pace = Duration.milliseconds(250)

    let services: AppServices
    let timeline: Timeline

    var routes: [APIRoute] {
        [
            APIRoute("GET", "/timeline") { _ in
                EventStream.response(clock: services.configuration.clock, until: services.draining) {
                    stream in
                    try await feed(stream)
                }
            }
        ]
    }

    private func feed(_ stream: EventStream) async throws {
        var changes = timeline.changes(since: 0)
        var gates = GateLevels(services.thumbnails)
        try await stream.send("state", TimelineDocument(changes, gates))
        while true {
            try await services.configuration.clock.sleep(for: Self.pace)
            let levels = GateLevels(services.thumbnails)
            guard levels != gates || timeline.revision != changes.revision else { continue }
            gates = levels
            changes = timeline.changes(since: changes.revision)
            try await stream.send("change", TimelineDocument(changes, gates))
        }
    }
}

/// The timeline in the API; times are in milliseconds since the server's start.
struct TimelineDocument: Encodable, Sendable {
    struct Stage: Encodable, Sendable {
        let name: String
        let start: Double
        let end: Double?
    }

    struct Load: Encodable, Sendable {
        let id: UInt64
        let source: String
        let subject: String
        let page: String?
        let wall: String?
        let state: String
        let code: String?
        let origin: String?
        let start: Double
        let end: Double?
        let stages: [Stage]
        let bytes: Int?
        let joined: UInt64?
    }

    let now: Double
    let loads: [Load]
    let gates: GateLevels
    let counts: TimelineRecord.Counts

    init(_ changes: Timeline.Changes, _ gates: GateLevels) {
        now = changes.now.milliseconds
        loads = changes.loads.map(Load.init)
        self.gates = gates
        counts = changes.counts
    }
}

extension TimelineDocument.Load {
    init(_ load: TimelineLoad) {
        id = load.id
        source = load.source
        subject = load.subject == .document ? "document" : "picture"
        page = load.caller.page
        wall = load.caller.wall
        state = load.state.rawValue
        code = load.code?.rawValue
        origin = load.origin.map { "\($0)" }
        start = load.start.milliseconds
        end = load.end?.milliseconds
        stages = load.stages.map {
            .init(name: $0.name.rawValue, start: $0.start.milliseconds, end: $0.end?.milliseconds)
        }
        bytes = load.bytes?.bytes
        joined = load.joined
    }
}

extension Duration {
    /// Rounded to hundredths of a millisecond, which is enough for display.
    var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds * 100_000 + attoseconds / 10_000_000_000_000) / 100
    }
}

/// The occupancy of the server's gates.
struct GateLevels: Hashable, Sendable, Encodable {
    /// The occupancy of one gate.
    struct Level: Hashable, Sendable, Encodable {
        let used: Int
        /// The limit; `nil` for none.
        let limit: Int?
        /// The number of waiters, if known.
        var waiting: Int?
    }

    let names: Level
    let connections: Level
    let encodedBytes: Level
    let decodes: Level
    let decodedBytes: Level
    let queue: Level
    let hosts: HostWaits
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
        hosts = HostWaits(snapshot.waitingPerHost, limit: limits.connectionsPerHost)
        flights = snapshot.flights
    }
}

/// The loads that wait because their host has as many connections as one host may have.
struct HostWaits: Hashable, Sendable, Encodable {
    /// The loads that wait for one host.
    struct Host: Hashable, Sendable, Encodable {
        /// The name or address, and the port if it is not the scheme's.
        let host: String
        let waiting: Int
    }

    private static let mostHosts = 5

    /// Maximum number of connections of a host.
    let limit: Int
    /// The number of loads that wait for any host.
    let waiting: Int
    /// The hosts with most waiting loads, in a stable order; each is at its limit.
    let busiest: [Host]

    init(_ waitingPerHost: [WebURL.Origin: Int], limit: Int) {
        self.limit = limit
        waiting = waitingPerHost.values.reduce(0, +)
        let hosts = waitingPerHost.map { Host(host: Self.name(of: $0.key), waiting: $0.value) }
        let sorted = hosts.sorted { ($1.waiting, $0.host) < ($0.waiting, $1.host) }
        busiest = Array(sorted.prefix(Self.mostHosts))
    }

    private static func name(of origin: WebURL.Origin) -> String {
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        let usual: UInt16 = origin.scheme == .http ? 80 : 443
        return origin.port == usual ? host : "\(host):\(origin.port)"
    }
}
