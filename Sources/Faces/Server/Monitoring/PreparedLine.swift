import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener

/// A line of the access log that waits to be written.
enum LogLine: Sendable {
    /// On the heap, because it is many times as large as the other case.
    indirect case entry(AccessEntry)
    case prepared(PreparedEntry)
}

/// The entry for a use of a prepared response that the client received completely: what differs from other uses.
struct PreparedEntry: Sendable {
    let line: PreparedLine
    let moment: WallTime
    let id: UInt64
    let client: String
    let duration: Duration
}

/// The text that the log lines for all complete uses of a prepared response have in common.
final class PreparedLine: Sendable {
    /// The text between the client and the duration.
    fileprivate let middle: [UInt8]
    /// The text after the duration.
    fileprivate let end: [UInt8]

    /// Derives the text from the line for one use.
    init?(_ record: AnswerRecord, target: String, bytes: Int) {
        let use = PreparedUse(id: 0, client: "", arrival: .now, sentBytes: bytes, isComplete: true)
        let json = AccessEntry(use, target: target, record, at: WallTime(secondsSince1970: 0)).json
        guard let start = json.firstRange(of: ",\"method\":")?.lowerBound,
            let duration = json[start...].firstRange(of: ",\"ms\":")?.upperBound,
            let rest = json[duration...].firstIndex(where: { $0 == "," || $0 == "}" })
        else { return nil }
        middle = Array(json[start..<duration].utf8)
        end = Array(json[rest...].utf8) + [UInt8(ascii: "\n")]
    }
}

/// Writes the lines of the access log one after another.
struct LogText {
    private(set) var bytes: [UInt8] = []
    /// The last moment that was written, and its text.
    private var moment: WallTime?
    private var time: [UInt8] = []

    /// Removes the lines written so far.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func add(_ text: String) {
        bytes += text.utf8
    }

    mutating func add(_ line: LogLine) {
        switch line {
        case .entry(let entry):
            bytes += entry.json.utf8
            bytes.append(UInt8(ascii: "\n"))
        case .prepared(let entry): add(entry)
        }
    }

    private mutating func add(_ entry: PreparedEntry) {
        if moment != entry.moment {
            moment = entry.moment
            time = Array(entry.moment.internetText.utf8)
        }
        bytes += "{\"time\":\"".utf8
        bytes += time
        bytes += "\",\"id\":\"".utf8
        for shift in stride(from: 60, through: 0, by: -4) {
            bytes.append(Self.digit(entry.id >> UInt64(shift)))
        }
        bytes += "\",\"client\":\"".utf8
        // An address needs no escapes.
        bytes += entry.client.utf8
        bytes.append(UInt8(ascii: "\""))
        bytes += entry.line.middle
        bytes += "\(entry.duration.milliseconds)".utf8
        bytes += entry.line.end
    }

    private static func digit(_ bits: UInt64) -> UInt8 {
        let digit = UInt8(truncatingIfNeeded: bits & 15)
        return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
