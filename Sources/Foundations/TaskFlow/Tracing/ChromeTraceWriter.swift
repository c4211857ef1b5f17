/// Writes trace events as Chrome trace-event JSON, which Perfetto and `chrome://tracing` show as a timeline.
///
/// It stores nothing: each event goes to the sink as one piece of text. The format is the "JSON object
/// format" of the Trace Event Format document, with complete (`X`) events in microseconds. A wait for work in
/// another lane has an arrow (a flow event) from its beginning to the work.
public struct ChromeTraceWriter: Sendable {
    private let sink: @Sendable (String) throws -> Void
    private var isFirst = true
    private var lastFlow = 0

    /// Creates a writer that passes its text, piece by piece, to `sink`.
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

    /// Writes the text before the events.
    public mutating func begin() throws {
        isFirst = true
        try sink("{\"traceEvents\":[")
    }

    /// Writes one event.
    public mutating func write(_ event: TraceEvent) throws {
        try append(Self.json(event))
        guard case .link(let lane?) = event.kind else { return }
        lastFlow += 1
        try append(Self.flow(event, "\"ph\":\"s\"", lastFlow, lane: event.lane))
        try append(Self.flow(event, "\"ph\":\"f\",\"bp\":\"e\"", lastFlow, lane: lane))
    }

    /// Writes the text after the events.
    public mutating func end(dropped: Int = 0) throws {
        try sink("\n],\"displayTimeUnit\":\"ms\",\"otherData\":{\"dropped\":\"\(dropped)\"}}\n")
    }

    private mutating func append(_ json: String) throws {
        try sink((isFirst ? "\n" : ",\n") + json)
        isFirst = false
    }

    private static func json(_ event: TraceEvent) -> String {
        let items = event.item.map { [TraceEvent.Argument("item", "\($0)")] } ?? []
        let arguments = (event.arguments + items)
            .map { "\(quoted($0.name)):\(quoted($0.value))" }
            .joined(separator: ",")
        return "{\(title(event)),\"ph\":\"X\",\"ts\":\(microseconds(event.start)),"
            + "\"dur\":\(microseconds(event.duration)),\"pid\":1,\"tid\":\(event.lane),\"args\":{\(arguments)}}"
    }

    /// One end of an arrow.
    ///
    /// Both ends have the same name, category and number, and bind to what encloses them in time.
    private static func flow(_ event: TraceEvent, _ end: String, _ number: Int, lane: Int) -> String {
        "{\(title(event)),\(end),\"id\":\(number),\"ts\":\(microseconds(event.start)),\"pid\":1,\"tid\":\(lane)}"
    }

    private static func title(_ event: TraceEvent) -> String {
        "\"name\":\(quoted(event.name)),\"cat\":\(quoted(event.category))"
    }

    /// Microseconds with three decimals, computed in integers so that long runs lose no precision.
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
