/// The place of a request in a distributed trace (W3C Trace Context, https://www.w3.org/TR/trace-context/).
///
/// A program that has received one sets it with `TraceContext.$current.withValue(_:operation:)`; loads in that
/// task belong to the trace.
public struct TraceContext: Hashable, Sendable {
    /// The context of the current task; `nil` if it belongs to no trace.
    @TaskLocal public static var current: TraceContext?

    /// The number of the trace: 32 lowercase hexadecimal digits, not all of them 0.
    public let traceID: String
    /// The number of the operation that sent or sends the request: 16 digits like those of ``traceID``.
    public let spanID: String
    /// The flags; bit 0 means that the caller may record the trace.
    public let flags: UInt8
    /// The field `tracestate` of tracing systems, unchanged; `nil` if there is none.
    public let state: String?

    private static let longestState = 512

    /// Reads the fields `traceparent` and `tracestate` of a request.
    ///
    /// A `tracestate` that is longer than 512 bytes or no field value is left out, as the standard allows.
    ///
    /// - Returns: `nil` if `parent` is not valid: the request then begins a new trace.
    public init?(parent: String, state: String? = nil) {
        let parts = parent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, let version = Self.number(parts[0], digits: 2), version != 0xFF,
            // Later versions may add parts at the end.
            version > 0 || parts.count == 4, let flags = Self.number(parts[3], digits: 2),
            Self.isName(parts[1], digits: 32), Self.isName(parts[2], digits: 16)
        else { return nil }
        self.init(
            traceID: String(parts[1]),
            spanID: String(parts[2]),
            flags: flags,
            state: state.flatMap { Self.isState($0) ? $0 : nil }
        )
    }

    private init(traceID: String, spanID: String, flags: UInt8, state: String?) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
        self.state = state
    }

    /// Reads the context of a request with these header fields; `nil` if they have none.
    package init?(_ headers: HTTPHeaders) {
        guard let parent = headers[Self.parentField] else { return nil }
        let states = headers.values(of: Self.stateField)
        self.init(parent: parent, state: states.isEmpty ? nil : states.joined(separator: ","))
    }

    /// The value of `traceparent`.
    public var parent: String {
        "00-\(traceID)-\(spanID)-\(Self.hexadecimal(UInt64(flags), digits: 2))"
    }

    /// Returns the context of a new operation, a request to another server, in the same trace.
    public func child() -> TraceContext {
        let span = Self.hexadecimal(.random(in: 1...UInt64.max), digits: 16)
        return TraceContext(traceID: traceID, spanID: span, flags: flags, state: state)
    }

    /// The header fields of a request with this context.
    package var fields: [HeaderField] {
        [HeaderField(Self.parentField, parent)] + (state.map { [HeaderField(Self.stateField, $0)] } ?? [])
    }

    package static let parentField = "traceparent"
    private static let stateField = "tracestate"

    private static func isState(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestState && text.isFieldValue
    }

    private static func number(_ text: Substring, digits: Int) -> UInt8? {
        isHexadecimal(text, digits: digits) ? UInt8(text, radix: 16) : nil
    }

    private static func isName(_ text: Substring, digits: Int) -> Bool {
        isHexadecimal(text, digits: digits) && text.utf8.contains { $0 != UInt8(ascii: "0") }
    }

    private static func isHexadecimal(_ text: Substring, digits: Int) -> Bool {
        text.utf8.count == digits
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private static func hexadecimal(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
