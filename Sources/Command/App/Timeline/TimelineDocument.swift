import Calotype
import CalotypeCore

/// The timeline as the API tells it; times are milliseconds since the server's start.
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
    /// In hundredths of a millisecond, which is as fine as anybody can see.
    fileprivate var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds * 100_000 + attoseconds / 10_000_000_000_000) / 100
    }
}
