import CalotypeBulk
import CalotypeCore
import CalotypeFiles
import CalotypeStore

/// The results of `calotype cache`, for people and for programs.
struct CacheFindings: Sendable {
    enum Figure: Sendable {
        case text(String)
        case count(Int)
        case bytes(ByteCount)
    }

    let folder: String
    /// One sentence for each problem; empty if there are none.
    var problems: [String] = []
    /// The text to print instead of figures.
    var note: String?
    private var figures: [(name: String, value: Figure)] = []

    init(folder: String) {
        self.folder = folder
    }

    mutating func add(_ name: String, _ value: Figure) {
        figures.append((name, value))
    }

    /// Adds the results of a check.
    mutating func add(_ report: DiskCacheReport) {
        let counts = [
            ("checked entries", report.checked), ("removed entries", report.removed),
            ("unreadable", report.unreadable), ("files", report.files),
            ("recovered files", report.recoveredFiles),
            ("removed files", report.removedFiles),
        ]
        for (name, count) in counts { add(name, .count(count)) }
        problems += report.indexProblems.map { "the index is damaged: \($0)" }
        let findings = [
            (report.removed, "damaged entries that were removed"),
            (report.unreadable, "entries that could not be read"),
            (report.recoveredFiles, "files that were missing from the index and have been added"),
            (report.removedFiles, "orphaned files that were removed"),
        ]
        problems += findings.filter { $0.0 > 0 }.map { "\($0.1): \($0.0)" }
    }

    func with(problem: String) -> CacheFindings {
        var findings = self
        findings.problems.append(problem)
        return findings
    }

    /// The folder, followed by the figures in two columns.
    var page: String {
        if let note { return "\(folder): \(note)\n" }
        let width = (figures.map(\.name.count).max() ?? 0) + 2
        let rows = figures.map { figure in
            "  \(figure.name)\(String(repeating: " ", count: width - figure.name.count))\(figure.value.text)\n"
        }
        return "\(folder)\n\(rows.joined())"
    }

    /// One JSON object on one line; names use underscores, and sizes are numbers.
    var json: String {
        var object = JSONObject()
        object.add("folder", string: folder)
        for figure in figures {
            let name = String(figure.name.map { $0 == " " ? "_" : $0 })
            switch figure.value {
            case .text(let text): object.add(name, string: text)
            case .count(let count): object.add(name, count)
            case .bytes(let size): object.add(name, size.bytes)
            }
        }
        object.add("problems", strings: problems)
        return object.text + "\n"
    }
}

extension CacheFindings.Figure {
    fileprivate var text: String {
        switch self {
        case .text(let text): text
        case .count(let count): "\(count)"
        case .bytes(let size): size.bytes < 1000 ? "\(size)" : "\(size) (\(size.bytes))"
        }
    }
}
