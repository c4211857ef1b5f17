import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener

/// What is known of an exchange at its end: a line of the access log.
struct AccessEntry: Sendable {
    private static let longestTarget = 512

    let moment: WallTime
    let method: String
    let target: String
    let client: String
    /// The status of the answer; 499 where the client went away before it had all of it.
    let status: Int
    let sentBytes: Int
    /// Whether the answer's end was missing, because the source's did not come.
    let isCut: Bool
    /// From the request to the end of its answer.
    let duration: Duration
    /// What the answer was about; `nil` where the listener answered itself.
    let record: AnswerRecord?

    /// What was asked for.
    var kind: AnswerRecord.Kind { record?.kind ?? .other }

    init(_ exchange: FinishedExchange, _ record: AnswerRecord?, at moment: WallTime) {
        self.moment = moment
        method = exchange.request.method
        target = exchange.request.target
        client = exchange.request.client
        let isCut = record?.passed?.isCut ?? false
        status = exchange.isComplete || isCut ? exchange.status ?? 499 : 499
        self.isCut = isCut
        sentBytes = exchange.sentBytes
        duration = ContinuousClock.now - exchange.request.arrival
        self.record = record.map { record in
            var record = record
            record.passed?.add(to: &record)
            return record
        }
    }

    /// The line, without its end.
    var json: String {
        var object = JSONObject()
        object.add("time", string: moment.internetText)
        object.add("id", string: record?.id)
        object.add("client", string: client)
        object.add("method", string: String(method.prefix(16)))
        object.add("kind", string: kind.rawValue)
        object.add("status", status)
        object.add("bytes", sentBytes)
        object.add("ms", duration.milliseconds)
        if status == 499 { object.add("client_gone", true) }
        if isCut { object.add("cut", true) }
        if let record { add(record, to: &object) } else { object.add("target", string: shortTarget) }
        return object.text
    }

    private func add(_ record: AnswerRecord, to object: inout JSONObject) {
        if let refusal = record.refusal {
            object.add("code", string: refusal.code.rawValue)
            object.add("detail", string: refusal.detail)
        }
        if let source = record.displayedSource {
            object.add("source", string: source)
        } else if record.kind == .picture || record.kind == .other {
            object.add("target", string: shortTarget)
        }
        if let bytes = record.sourceBytes { object.add("source_bytes", bytes.bytes) }
        if let facts = record.facts {
            object.add("source_format", string: facts.format.rawValue)
            object.add("source_size", string: facts.size.description)
        }
        if let format = record.format { object.add("format", string: format.rawValue) }
        if let size = record.size { object.add("size", string: size.description) }
        if let cache = record.cache { object.add("cache", string: cache) }
        if let attempts = record.attempts { object.add("attempts", attempts) }
        if let timings = record.timings { object.add("times_ms", timings.json) }
    }

    private var shortTarget: String {
        let shown = LoggedTarget.text(target)
        return shown.utf8.count <= Self.longestTarget ? shown : String(shown.prefix(Self.longestTarget)) + "…"
    }
}

extension AnswerRecord {
    /// The source's name, as the log has it.
    var displayedSource: String? {
        let make = { source?.displayName }
        return sourceName.map { $0.text(make) } ?? make()
    }
}

extension LoadTimings {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        let parts = [
            ("queue", queue), ("dns", dns), ("connect", connect), ("first_byte", firstByte), ("body", body),
            ("decode", decode), ("encode", encode), ("total", total),
        ]
        for (name, duration) in parts { object.add(name, duration.milliseconds) }
        return object
    }
}

extension Duration {
    /// Milliseconds, in tenths.
    fileprivate var milliseconds: Double {
        (Double(components.seconds) * 10_000 + Double(components.attoseconds) / 1e14).rounded() / 10
    }
}
