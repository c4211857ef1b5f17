import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeHTTPListener

/// The facts about a finished exchange: a line in the access log.
struct AccessEntry: Sendable {
    private static let longestTarget = 512

    let moment: WallTime
    let method: String
    let target: String
    let client: String
    /// The status of the response; 499 if the client disconnected before it received all of it.
    let status: Int
    let sentBytes: Int
    /// Whether the response was cut off because the rest of the source did not arrive.
    let isCut: Bool
    /// The time from the request to the end of its response.
    let duration: Duration
    /// The subject of the response; `nil` if the listener responded itself.
    let record: AnswerRecord?

    /// The kind of request.
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

    /// Creates the entry for a use of a prepared response.
    init(_ use: PreparedUse, target: String, _ record: AnswerRecord, at moment: WallTime) {
        self.moment = moment
        method = "GET"
        self.target = target
        client = use.client
        status = use.isComplete ? 200 : 499
        isCut = false
        sentBytes = use.sentBytes
        duration = ContinuousClock.now - use.arrival
        self.record = record
    }

    /// The line, without a line break.
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
            object.add("detail", string: refusal.message)
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
    /// The source's name in the log.
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
    /// The duration in milliseconds, with one decimal.
    var milliseconds: Double {
        (Double(components.seconds) * 10_000 + Double(components.attoseconds) / 1e14).rounded() / 10
    }
}

/// The target of a request for the log, without credentials that its source may contain.
enum LoggedTarget {
    /// The maximum number of segments to try as the start of a Base64 source.
    ///
    /// A signature or preset may precede it.
    private static let mostTries = 8

    /// Returns `target` without user names and passwords; a Base64 source that has some is written in clear.
    static func text(_ target: String) -> String {
        let target = URLCredentials.removed(in: target)
        let segments = target.split(separator: "/", omittingEmptySubsequences: false)
        // Options contain a colon, and precede the source.
        let first = segments.lastIndex { $0.contains(":") || $0.contains("%3A") }.map { $0 + 1 } ?? 0
        for start in segments.indices[first...].prefix(mostTries) {
            let (digits, format) = parts(segments[start...].joined())
            guard let bytes = Base64URL.bytes(Base64URL.withoutPadding(digits)),
                let source = String(validating: bytes, as: UTF8.self)
            else { continue }
            let shown = URLCredentials.removed(from: source)
            guard shown != source else { continue }
            return segments[..<start].map { $0 + "/" }.joined() + "plain/"
                + PercentEscapes.encoded(shown, keeping: ":/") + format.map { "@\($0)" }.joined()
        }
        return target
    }

    /// Splits `text` into the part before the dot or the query, and the format after the dot.
    private static func parts(_ text: String) -> (digits: Substring, format: [Substring]) {
        let path = text.prefix { $0 != "?" }
        let halves = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return (halves[0], Array(halves.dropFirst()))
    }
}
