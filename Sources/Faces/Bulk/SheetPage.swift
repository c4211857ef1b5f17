internal import CalotypeCore

/// The parts of the contact sheet around the tiles.
enum SheetPage {
    static func head(_ summary: RunSummary, subject: String, timeline: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <meta name="generator" content="calotype"><meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
        style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>Contact sheet: \(HTMLText.escaped(subject))</title>
        <style>\(SheetStyle.css)</style></head><body>
        <header><h1>\(title(summary))</h1><p class="subject">\(HTMLText.escaped(subject))</p>
        <dl>\(figures(summary))</dl></header>
        \(timeline)\(reasons(summary))<section><h2>Pictures</h2>
        \(filters(summary))<main>

        """
    }

    static func tail(tilesLeftOut: Int) -> String {
        let note = "<p class=\"note\">\(tilesLeftOut) more are not on this page; the report has them all.</p>"
        return "</main>\(tilesLeftOut > 0 ? note : "")</section>\n<output></output>"
            + "<script>\(SheetStyle.script)</script></body></html>\n"
    }

    /// The outcome in one line, the first thing that is read.
    private static func title(_ summary: RunSummary) -> String {
        let pictures = summary.succeeded + summary.skipped
        var title = "\(grouped(pictures)) picture\(pictures == 1 ? "" : "s")"
        if summary.failed > 0 { title += ", <em>\(grouped(summary.failed)) failed</em>" }
        if summary.cancelled > 0 { title += ", \(grouped(summary.cancelled)) cancelled" }
        return title
    }

    private static func figures(_ summary: RunSummary) -> String {
        let seconds = max(summary.wallTime.inSeconds, 0.001)
        var pairs = [("time", Clocktime.text(summary.wallTime))]
        if summary.succeeded > 0 {
            pairs.append(("images/s", Decimal.text(Double(summary.succeeded) / seconds, places: 1)))
        }
        if summary.skipped > 0 { pairs.append(("already there", grouped(summary.skipped))) }
        pairs += [
            ("received", "\(summary.bytesIn)"), ("written", "\(summary.bytesOut)"),
            ("processor time", Clocktime.text(summary.cpuTime)), ("peak memory", "\(summary.peakMemory)"),
        ]
        return pairs.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }.joined()
    }

    private static func reasons(_ summary: RunSummary) -> String {
        guard !summary.failures.isEmpty else { return "" }
        let rows = summary.failures.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .prefix(40)
        let most = max(rows.first?.value ?? 1, 1)
        let items = rows.map { code, count in
            let share = Decimal.text(Double(count) / Double(most) * 100, places: 1)
            return "<li><code>\(HTMLText.escaped(code.rawValue))</code><b>\(grouped(count))</b>"
                + "<i><u style=\"width:\(share)%\"></u></i></li>"
        }
        return "<section class=\"reasons\"><h2>Why pictures failed</h2><ol>\(items.joined())</ol></section>\n"
    }

    /// Radio buttons that need no script: the style sheet hides what is not chosen.
    private static func filters(_ summary: RunSummary) -> String {
        let counts = [
            ("ok", "made", summary.succeeded), ("skipped", "already there", summary.skipped),
            ("failed", "failed", summary.failed), ("cancelled", "cancelled", summary.cancelled),
        ].filter { $0.2 > 0 }
        guard counts.count > 1 else { return "" }
        let all = ("all", "all", counts.reduce(0) { $0 + $1.2 })
        let items = ([all] + counts).map { key, label, count in
            "<label><input type=\"radio\" name=\"show\" id=\"show-\(key)\"\(key == "all" ? " checked" : "")>"
                + "\(label) <b>\(grouped(count))</b></label>"
        }
        return "<nav>\(items.joined())</nav>\n"
    }

    private static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        for position in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: position) }
        return String(digits)
    }
}
