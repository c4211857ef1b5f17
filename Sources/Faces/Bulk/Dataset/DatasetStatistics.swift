import CalotypeCore
import CalotypeFiles

/// The sums of a dataset: samples, failures by code and host, sizes.
public struct DatasetStatistics: Sendable {
    /// The maximum number of hosts that are told apart; failures of others are counted together.
    private static let mostHosts = 100_000
    private static let sides = [64, 128, 256, 512, 1024, 2048, 4096]
    private static let ratios = [0.5, 0.67, 0.8, 1.25, 1.5, 2]

    /// A group of samples, and how many there are.
    struct Count: Sendable {
        let name: String
        let count: Int
    }

    /// The address of the dataset, if it was uploaded.
    private let store: String?
    private(set) var shards = 0
    private(set) var unfinished = 0
    private(set) var total = ShardStats()
    private(set) var bytes = 0
    private var hosts: [String: Int] = [:]
    private var sideCounts = [Int](repeating: 0, count: sides.count + 1)
    private var ratioCounts = [Int](repeating: 0, count: ratios.count + 1)

    /// Sums up the complete shards of a dataset.
    ///
    /// - Throws: The error of a file that cannot be read; `CancellationError`.
    public init(of dataset: DatasetInspection) throws {
        store = dataset.store
        unfinished = dataset.unfinishedCount
        for name in dataset.shardNames {
            try Task.checkCancellation()
            add(try dataset.shard(name).stats)
            try dataset.forEachLine(of: name) { try addSample($0) }
        }
    }

    private mutating func add(_ stats: ShardStats) {
        shards += 1
        total.count += stats.count
        total.successes += stats.successes
        total.failedToDownload += stats.failedToDownload
        total.failedToResize += stats.failedToResize
        total.codes.merge(stats.codes, uniquingKeysWith: +)
        total.times.start = shards == 1 ? stats.times.start : min(total.times.start, stats.times.start)
        total.times.end = max(total.times.end, stats.times.end)
        bytes += stats.files.reduce(0) { $0 + $1.bytes }
    }

    private mutating func addSample(_ line: [UInt8]) throws {
        let fields = try JSONRow.fields(["url", "status", "original_width", "original_height"], in: line)
        if fields[1].text != Sample.Status.success.rawValue {
            let host = ListItem.host(of: fields[0].text ?? "")
            hosts[hosts[host] != nil || hosts.count < Self.mostHosts ? host : "others", default: 0] += 1
        }
        guard let width = fields[2].text.flatMap({ Int($0) }),
            let height = fields[3].text.flatMap({ Int($0) }),
            height > 0
        else { return }
        sideCounts[Self.sides.firstIndex { min(width, height) < $0 } ?? Self.sides.count] += 1
        let ratio = Double(width) / Double(height)
        ratioCounts[Self.ratios.firstIndex { ratio < $0 } ?? Self.ratios.count] += 1
    }

    /// The failures by code, most frequent first.
    var failures: [Count] { Self.sorted(total.codes.filter { $0.key != "success" }) }

    /// The failures by host, most frequent first.
    var failuresByHost: [Count] { Array(Self.sorted(hosts).prefix(20)) }

    /// The sources by the length of their shorter side.
    var shorterSides: [Count] { Self.histogram(Self.sides.map { "\($0)" }, sideCounts) }

    /// The sources by width divided by height.
    var aspectRatios: [Count] { Self.histogram(Self.ratios.map { "\($0)" }, ratioCounts) }

    /// The statistics as a few lines of text.
    public var text: String {
        let seconds = max(total.times.end - total.times.start, 0.001)
        let share = total.count > 0 ? Double(total.successes) * 100 / Double(total.count) : 0
        var lines = store.map { ["dataset   \($0)"] } ?? []
        lines += [
            "shards    \(shards) complete" + (unfinished > 0 ? ", \(unfinished) unfinished" : ""),
            "samples   \(total.count)",
            "pictures  \(total.successes) (\(Decimal.text(share, places: 1)) %)",
            "size      \(ByteCount(bytes))",
            "rate      \(Decimal.text(Double(total.count) / seconds, places: 1)) samples/s",
        ]
        for (title, counts) in sections where !counts.isEmpty {
            lines.append(title)
            for count in counts.prefix(10) { lines.append("  \(Self.padded(count.count))  \(count.name)") }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The statistics as a JSON object.
    public var json: String {
        var object = JSONObject()
        if let store { object.add("store", string: store) }
        object.add("shards", shards)
        object.add("unfinished", unfinished)
        object.add("count", total.count)
        object.add("successes", total.successes)
        object.add("failed_to_download", total.failedToDownload)
        object.add("failed_to_resize", total.failedToResize)
        object.add("bytes", bytes)
        object.add("duration", total.times.end - total.times.start)
        for (key, counts) in zip(["codes", "hosts", "shorter_sides", "aspect_ratios"], sections.map(\.1)) {
            var group = JSONObject()
            for count in counts {
                group.add(String(JSONObject.quoted(count.name).dropFirst().dropLast()), count.count)
            }
            object.add(key, group)
        }
        return object.text
    }

    /// A page in HTML that needs nothing else.
    public var page: String {
        let rows = sections.map { title, counts in
            let most = max(counts.map(\.count).max() ?? 1, 1)
            let bars = counts.map { count in
                """
                <tr><th>\(HTMLText.escaped(count.name))</th><td>\(count.count)</td>\
                <td><div style="width:\(count.count * 400 / most)px"></div></td></tr>
                """
            }
            return "<h2>\(title)</h2>\n<table>\n\(bars.joined(separator: "\n"))\n</table>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><meta charset="utf-8"><title>Dataset</title>
            <meta name="viewport" content="width=device-width">
            <style>
            body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 50em; padding: 0 1em }
            th { text-align: left; font-weight: normal; padding-right: 1em }
            td { text-align: right; padding-right: 1em }
            td div { background: #36c; height: 1em }
            </style>
            <h1>Dataset</h1>
            <p>\(total.successes) of \(total.count) samples have a picture. \(shards) shards, \
            \(ByteCount(bytes)).</p>
            \(rows.joined(separator: "\n"))
            </html>

            """
    }

    private var sections: [(String, [Count])] {
        [
            ("Failures by code", failures), ("Failures by host", failuresByHost),
            ("Shorter side of the sources", shorterSides), ("Width by height of the sources", aspectRatios),
        ]
    }

    private static func sorted(_ counts: [String: Int]) -> [Count] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { Count(name: $0.key, count: $0.value) }
    }

    private static func histogram(_ bounds: [String], _ counts: [Int]) -> [Count] {
        zip(bounds.map { "below \($0)" } + ["\(bounds.last ?? "") and more"], counts)
            .map { Count(name: $0, count: $1) }
    }

    private static func padded(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }
}
