/// What a progress line says at one moment.
public struct ProgressFrame: Hashable, Sendable {
    /// Phrases in order of importance; those that find no room are left out from the end.
    public var parts: [String]
    /// How much is done, 0 to 1, where the whole is known.
    public var fraction: Double?
    /// How much is done or on its way, 0 to 1, where that is known; shown below rows.
    public var underWay: Double?
    /// The same as a JSON object on one line, for ``ProgressLine/Style/json``.
    public var json: String
    /// Rows above the line on a terminal, one for each of several things; none by default.
    public var rows: [ProgressRow] = []
    /// What the line begins with; nothing by default.
    public var title = ""

    /// Creates a frame.
    public init(parts: [String], fraction: Double? = nil, json: String = "{}") {
        self.parts = parts
        self.fraction = fraction
        self.json = json
    }

    /// The frame in at most `width` columns, a bar in front where there is room for one.
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

    /// The rows and the line in at most `height` lines; where there are more, the least interesting are only counted.
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

    /// The rows that there is room for, beside the line for all and, where some are left out, the one that counts them.
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
            (.active, "under way"), (.waiting, "waiting"), (.done, "done"),
        ]
        let counts = words.compactMap { standing, word in
            let count = hidden.count { rows[$0].standing == standing }
            return count > 0 ? "\(count) \(word)" : nil
        }
        return "and \(hidden.count) more: \(counts.joined(separator: ", "))"
    }
}
