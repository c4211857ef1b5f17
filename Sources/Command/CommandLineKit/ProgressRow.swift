/// What the progress says of one of several things, in a line of its own above the line for all.
public struct ProgressRow: Hashable, Sendable {
    /// What is shown first where there is no room for all rows.
    public enum Standing: Int, Hashable, Sendable, CaseIterable {
        /// Something happens to it.
        case active
        /// Its turn has not come.
        case waiting
        /// Nothing more happens to it.
        case done
    }

    /// What it is called; a long name is cut.
    public var name: String
    /// How much is done, 0 to 1, where the whole is known.
    public var fraction: Double?
    /// How much is done or on its way, 0 to 1, where that is known.
    public var underWay: Double?
    /// Phrases in order of importance; the first that finds no room is cut, and those after it are left out.
    public var parts: [String]
    /// What happens to it.
    public var standing: Standing

    /// Creates a row.
    public init(_ name: String, fraction: Double? = nil, parts: [String] = [], _ standing: Standing = .active)
    {
        self.name = name
        self.fraction = fraction
        self.parts = parts
        self.standing = standing
    }

    /// The row in at most `width` columns, `nameWidth` of them for the name.
    func line(width: Int, nameWidth: Int) -> String {
        let name = TextWidth.fitted(TerminalText.line(name), columns: nameWidth)
        var line = name + String(repeating: " ", count: max(0, nameWidth - TextWidth.columns(of: name)))
        if let fraction {
            let cells = width >= 72 ? 20 : width >= 48 ? 10 : 0
            if cells > 0 { line += "  " + ProgressBar.text(fraction, underWay: underWay, cells: cells) }
            line += "  " + ProgressBar.percent(fraction)
        }
        for part in parts {
            let text = TerminalText.line(part)
            let room = width - TextWidth.columns(of: line) - 2
            let fits = TextWidth.columns(of: text) <= room
            // A word or two of a phrase say something; less does not.
            guard fits || room >= 12 else { break }
            line += "  " + TextWidth.fitted(text, columns: room)
            if !fits { break }
        }
        return TextWidth.prefix(of: line, columns: width)
    }
}
