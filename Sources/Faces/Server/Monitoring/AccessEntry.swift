import Calotype
import CalotypeCore
import CalotypeFiles
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

/// The target of a request as the log has it, which may say where a picture is, and with which password.
enum LoggedTarget {
    /// How many segments are tried as the first of a source in Base64: a signature or a preset may stand before it.
    private static let mostTries = 8

    /// `target` without user names and passwords; a source in Base64 that has some is written as it reads.
    static func text(_ target: String) -> String {
        let target = URLCredentials.removed(in: target)
        let segments = target.split(separator: "/", omittingEmptySubsequences: false)
        // Options have a colon, and stand before the source.
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

    /// What stands before the dot or the query, and the format behind the dot.
    private static func parts(_ text: String) -> (digits: Substring, format: [Substring]) {
        let path = text.prefix { $0 != "?" }
        let halves = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return (halves[0], Array(halves.dropFirst()))
    }
}
