internal import CalotypeCore
internal import CalotypePlatform

/// The timeline of a run as HTML: a bar for each picture on a common time axis, ordered by start.
///
/// Each stage is one SVG path over all bars, so that even 20,000 bars are drawn quickly without a script.
struct SheetTimeline {
    /// Maximum number of bars.
    static let limit = 20_000

    private var bars: [TimelineBar] = []
    private(set) var leftOut = 0

    mutating func add(_ bar: TimelineBar) {
        if bars.count < Self.limit { bars.append(bar) } else { leftOut += 1 }
    }

    /// Returns the section of the page; empty if nothing was loaded.
    func html() -> String {
        let sorted = bars.sorted { ($0.start, $0.index) < ($1.start, $1.index) }
        guard let length = sorted.map(\.end).max(), length > 0 else { return "" }
        let height = min(max(sorted.count * 16, 64), 520)
        let rows = sorted.map { String($0.index) }.joined(separator: " ")
        var html = "<section class=\"timeline\"><h2>Average time per image, by stage</h2>\n"
        html += legend(sorted)
        html += throughput(sorted, length: length)
        // Rows of about one pixel have no gaps, which would only flicker.
        let density = height >= sorted.count * 5 ? "" : " dense"
        html += "<div class=\"plot\(density)\" style=\"height:\(height)px\" data-rows=\"\(rows)\">\n"
        html += axis(length)
        html +=
            "<svg viewBox=\"0 0 1000 \(sorted.count)\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n"
        for part in TimelineBar.Part.allCases {
            html += "<path class=\"s\(part.rawValue)\" d=\"\(path(part, sorted, length: length))\"/>\n"
        }
        html += "<path class=\"bad\" d=\"\(failures(sorted, length: length))\"/>\n</svg></div>\n"
        html +=
            "<p class=\"note\">One row per image, in order of start.\(leftOutNote)</p></section>\n"
        return html
    }

    private var leftOutNote: String {
        leftOut == 0 ? "" : " The first \(bars.count) to finish are shown; \(leftOut) more are not."
    }

    private func path(_ part: TimelineBar.Part, _ bars: [TimelineBar], length: Float) -> String {
        var path = ""
        for (row, bar) in bars.enumerated() where bar.parts[part.rawValue] > 0 {
            let before = bar.parts[..<part.rawValue].reduce(bar.start, +)
            path += "M\(x(before, length)) \(row).5h\(x(bar.parts[part.rawValue], length))"
        }
        return path
    }

    /// Returns a mark at the end of each bar without a picture.
    private func failures(_ bars: [TimelineBar], length: Float) -> String {
        bars.enumerated().filter { $0.element.isFailed }
            .map { "M\(x($0.element.end, length)) \($0.offset).5h4" }.joined()
    }

    private func x(_ milliseconds: Float, _ length: Float) -> String {
        Decimal.text(Double(milliseconds / length) * 1000, places: 2)
    }

    private func legend(_ bars: [TimelineBar]) -> String {
        let sums = TimelineBar.Part.allCases.map { part in
            bars.reduce(0.0) { $0 + Double($1.parts[part.rawValue]) }
        }
        let items = zip(TimelineBar.Part.allCases, sums).filter { $0.1 > 0 }.map { part, sum in
            let mean = Decimal.text(sum / Double(bars.count), places: sum / Double(bars.count) < 10 ? 1 : 0)
            return "<li><i class=\"s\(part.rawValue)\"></i>\(part.title) <b>\(mean) ms</b></li>"
        }
        return "<ul class=\"legend\">\(items.joined())</ul>\n"
    }

    /// Returns an area chart of the pictures finished in each hundredth of the run.
    private func throughput(_ bars: [TimelineBar], length: Float) -> String {
        let buckets = min(100, max(10, bars.count / 4))
        var counts = Array(repeating: 0, count: buckets)
        for bar in bars { counts[min(buckets - 1, Int(bar.end / length * Float(buckets)))] += 1 }
        guard let most = counts.max(), bars.count >= 20 else { return "" }
        let step = 1000 / Double(buckets)
        var path = "M0 100"
        for (bucket, count) in counts.enumerated() {
            let y = Decimal.text(100 - 100 * Double(count) / Double(most), places: 1)
            path += "L\(Decimal.text((Double(bucket) + 0.5) * step, places: 1)) \(y)"
        }
        let rate = Double(most) / (Double(length) / 1000 / Double(buckets))
        return """
            <div class="rate"><span>finished per second, peak \(Decimal.text(rate, places: 0))</span>\
            <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">\
            <path d="\(path)L1000 100z"/></svg></div>

            """
    }

    private func axis(_ length: Float) -> String {
        let seconds = Double(length) / 1000
        let power = pow(10, (log10(seconds / 8)).rounded(.down))
        let step = [1, 2, 5, 10].map { $0 * power }.first { seconds / $0 <= 8 } ?? seconds
        var html = ""
        for tick in 0...max(0, Int(clamping: seconds / step)) {
            let time = Double(tick) * step
            let text =
                step < 1 ? "\(Decimal.text(time * 1000, places: 0)) ms" : "\(Decimal.text(time, places: 0)) s"
            html +=
                "<i style=\"left:\(Decimal.text(time / seconds * 100, places: 2))%\"><span>\(text)</span></i>"
        }
        return html + "\n"
    }
}

/// One picture in the timeline.
struct TimelineBar {
    /// The stages of a bar, in order.
    enum Part: Int, CaseIterable {
        case queue, connect, wait, download, decode, encode, rest

        var title: String {
            switch self {
            case .queue: "waiting in the queue"
            case .connect: "DNS and connection"
            case .wait: "waiting for the response"
            case .download: "download"
            case .decode: "decode"
            case .encode: "encode"
            case .rest: "retries and storing"
            }
        }
    }

    let index: Int
    let isFailed: Bool
    /// The start in milliseconds since the start of the run.
    let start: Float
    let end: Float
    /// The duration of each stage in milliseconds.
    let parts: [Float]

    init(_ outcome: FetchOutcome, start: Duration, end: Duration) {
        index = outcome.index
        isFailed = outcome.status == .failed
        self.start = Float(start.inMilliseconds)
        self.end = max(self.start, Float(end.inMilliseconds))
        let timings = outcome.timings ?? LoadTimings()
        let known = [
            timings.queue, timings.dns + timings.connect, timings.firstByte, timings.body, timings.decode,
            timings.encode,
        ].map { Float(max(0, $0.inMilliseconds)) }
        let length = self.end - self.start
        let sum = known.reduce(0, +)
        // Overlapping stages can be longer than the bar, which must not grow.
        let scale = sum > length && sum > 0 ? length / sum : 1
        parts = known.map { $0 * scale } + [max(0, length - sum)]
    }
}
