/// Writes trace events as Chrome trace-event JSON, which Perfetto and `chrome://tracing` show as a timeline.
///
/// It keeps nothing: each event goes to the sink as one piece of text. The format is the "JSON object format" of the Trace
/// Event Format document, with complete (`X`) events in microseconds.
public struct ChromeTraceWriter: Sendable {
    private let sink: @Sendable (String) throws -> Void
    private var isFirst = true

    /// Creates a writer that hands its text, piece by piece, to `sink`.
    public init(sink: @escaping @Sendable (String) throws -> Void) {
        self.sink = sink
    }

    /// Writes a whole trace: the events, and how many were dropped.
    ///
    /// - Throws: what the sink throws.
    public mutating func write(_ recorder: TraceRecorder) throws {
        try begin()
        for event in recorder.events { try write(event) }
        try end(dropped: recorder.droppedCount)
    }

    /// Writes what comes before the events.
    public mutating func begin() throws {
        isFirst = true
        try sink("{\"traceEvents\":[")
    }

    /// Writes one event.
    public mutating func write(_ event: TraceEvent) throws {
        try sink((isFirst ? "\n" : ",\n") + Self.json(event))
        isFirst = false
    }

    /// Writes what comes after the events.
    public mutating func end(dropped: Int = 0) throws {
        try sink("\n],\"displayTimeUnit\":\"ms\",\"otherData\":{\"dropped\":\"\(dropped)\"}}\n")
    }

    private static func json(_ event: TraceEvent) -> String {
        let arguments = event.arguments
            .map { "\(quoted($0.name)):\(quoted($0.value))" }
            .joined(separator: ",")
        return "{\"name\":\(quoted(event.name)),\"cat\":\(quoted(event.category)),\"ph\":\"X\","
            + "\"ts\":\(microseconds(event.start)),\"dur\":\(microseconds(event.duration)),"
            + "\"pid\":1,\"tid\":\(event.lane),\"args\":{\(arguments)}}"
    }

    /// Microseconds with three decimals, in integers so that long runs lose nothing.
    private static func microseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = max(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, 0)
        let fraction = String(nanoseconds % 1000)
        return "\(nanoseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// A JSON string (RFC 8259 section 7): quotes, backslashes and control characters are escaped.
    private static func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": json += "\\\(scalar)"
            case "\u{00}"..."\u{1F}":
                let code = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - code.count) + code
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
