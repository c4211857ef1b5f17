/// What a progress line says at one moment.
public struct ProgressFrame: Hashable, Sendable {
    /// Phrases in order of importance; those that find no room are left out from the end.
    public var parts: [String]
    /// How much is done, 0 to 1, where the whole is known.
    public var fraction: Double?
    /// The same as a JSON object on one line, for ``ProgressLine/Style/json``.
    public var json: String

    /// Creates a frame.
    public init(parts: [String], fraction: Double? = nil, json: String = "{}") {
        self.parts = parts
        self.fraction = fraction
        self.json = json
    }

    /// The frame in at most `width` columns, a bar in front where there is room for one.
    func line(width: Int) -> String {
        var line = ""
        for part in parts {
            let longer = line.isEmpty ? part : line + "  " + part
            guard TextWidth.columns(of: longer) <= width else { break }
            line = longer
        }
        if line.isEmpty { return TextWidth.prefix(of: parts.first ?? "", columns: width) }
        guard let fraction, TextWidth.columns(of: line) + 24 <= width else { return line }
        return bar(fraction) + "  " + line
    }

    private func bar(_ fraction: Double) -> String {
        let cells = Int(20 * min(max(fraction.isNaN ? 0 : fraction, 0), 1))
        return "[" + String(repeating: "=", count: cells) + String(repeating: " ", count: 20 - cells) + "]"
    }
}
