/// The content of a progress line at one moment.
public struct ProgressFrame: Hashable, Sendable {
    /// Phrases in order of importance; if there is not enough space, the last ones are left out.
    public var parts: [String]
    /// The finished share, 0 to 1, if the total is known.
    public var fraction: Double?
    /// The share that is finished or in progress, 0 to 1, if known; shown below rows.
    public var underWay: Double?
    /// The frame as a JSON object on one line, for ``ProgressLine/Style/json``.
    public var json: String
    /// The rows above the line on a terminal, one for each item; empty by default.
    public var rows: [ProgressRow] = []
    /// The text at the start of the line; empty by default.
    public var title = ""

    /// Creates a frame.
    public init(parts: [String], fraction: Double? = nil, json: String = "{}") {
        self.parts = parts
        self.fraction = fraction
        self.json = json
    }

    /// The frame in at most `width` columns, with a bar in front if there is space for one.
    func line(width: Int) -> String {
        var line = ""
        for part in (title.isEmpty ? [] : [title]) + parts {
            let longer = line.isEmpty ? part : line + "  " + part
            guard TextWidth.columns(of: longer) <= width else { break }
            line = longer
        }
        if line.isEmpty {
            return TextWidth.prefix(of: title.isEmpty ? parts.first ?? "" : title, columns: width)
        }
        guard let fraction, TextWidth.columns(of: line) + 24 <= width else { return line }
        return ProgressBar.text(fraction, cells: 20) + "  " + line
    }

    /// The rows and the line in at most `height` lines; if there are more, the least interesting rows are
    /// only counted.
    func lines(width: Int, height: Int) -> [String] {
        guard !rows.isEmpty, height > 1 else { return [line(width: width)] }
        let names = (rows.map(\.name) + [title]).map { TextWidth.columns(of: TerminalText.line($0)) }
        let nameWidth = min(names.max() ?? 0, max(8, width / 3))
        let shown = shownRows(height: height)
        var lines = shown.map { rows[$0].line(width: width, nameWidth: nameWidth) }
        if shown.count < rows.count, height > 2 {
            lines.append(TextWidth.fitted(remainder(without: shown), columns: width))
        }
        var all = ProgressRow(title, fraction: fraction, parts: parts)
        all.underWay = underWay
        return lines + [all.line(width: width, nameWidth: nameWidth)]
    }

    /// The rows to show, which leave space for the line and, if some are left out, for the line that counts
    /// them.
    private func shownRows(height: Int) -> [Int] {
        guard rows.count > height - 1 else { return Array(rows.indices) }
        let byInterest = ProgressRow.Standing.allCases.flatMap { standing in
            rows.indices.filter { rows[$0].standing == standing }
        }
        return byInterest.prefix(max(height - 2, 1)).sorted()
    }

    private func remainder(without shown: [Int]) -> String {
        let hidden = rows.indices.filter { !shown.contains($0) }
        let words: [(ProgressRow.Standing, String)] = [
            (.active, "active"), (.waiting, "waiting"), (.done, "done"),
        ]
        let counts = words.compactMap { standing, word in
            let count = hidden.count { rows[$0].standing == standing }
            return count > 0 ? "\(count) \(word)" : nil
        }
        return "and \(hidden.count) more: \(counts.joined(separator: ", "))"
    }
}

/// The progress of one item, on its own line above the progress line.
public struct ProgressRow: Hashable, Sendable {
    /// The order in which rows are shown if there is not enough space for all.
    public enum Standing: Int, Hashable, Sendable, CaseIterable {
        /// In progress.
        case active
        /// Waiting for its turn.
        case waiting
        /// Finished.
        case done
    }

    /// The item's name; a long name is truncated.
    public var name: String
    /// The finished share, 0 to 1, if the total is known.
    public var fraction: Double?
    /// The share that is finished or in progress, 0 to 1, if known.
    public var underWay: Double?
    /// Phrases in order of importance; the first that does not fit is truncated, and the rest are left out.
    public var parts: [String]
    /// The state of the item.
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
            // A word or two of a phrase are useful; less is not.
            guard fits || room >= 12 else { break }
            line += "  " + TextWidth.fitted(text, columns: room)
            if !fits { break }
        }
        return TextWidth.prefix(of: line, columns: width)
    }
}

/// A progress bar of plain characters.
enum ProgressBar {
    /// A bar in brackets with `cells` cells; hyphens stand for what is in progress.
    static func text(_ fraction: Double, underWay: Double? = nil, cells: Int) -> String {
        let filled = Int(Double(cells) * bounded(fraction))
        let begun = max(Int(Double(cells) * bounded(underWay ?? 0)), filled)
        return "[" + String(repeating: "=", count: filled) + String(repeating: "-", count: begun - filled)
            + String(repeating: " ", count: cells - begun) + "]"
    }

    /// The percentage, four columns wide; 100 % only if everything is finished.
    static func percent(_ fraction: Double) -> String {
        let text = "\(Int(100 * bounded(fraction)))%"
        return String(repeating: " ", count: 4 - text.count) + text
    }

    private static func bounded(_ fraction: Double) -> Double {
        min(max(fraction.isNaN ? 0 : fraction, 0), 1)
    }
}
