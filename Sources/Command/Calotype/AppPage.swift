import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore

/// An app on a page: its name, what is known of it in two columns, and what its maker says.
struct AppPage {
    private let app: AppEntity

    init(_ app: AppEntity) {
        self.app = app
    }

    func text(width: Int) -> String {
        let column = (rows.map(\.name.count).max() ?? 0) + 4
        let facts = rows.map { row in
            "  \(row.name)\(String(repeating: " ", count: column - 2 - row.name.count))\(TerminalText.line(row.value))\n"
        }
        let description = TerminalText.lines(app.summary).map {
            TextWrap.wrap($0, width: min(width, 100)) + "\n"
        }
        return "\(TerminalText.line(app.name))\n\(facts.joined())"
            + (app.summary.isEmpty ? "" : "\n\(description.joined())")
    }

    /// What is known; what is not has no row.
    private var rows: [(name: String, value: String)] {
        let rows: [(String, String?)] = [
            ("id", "\(app.id)"),
            ("bundle", app.bundleID),
            ("developer", app.developer),
            ("version", app.version),
            ("price", app.price),
            ("rating", app.rating == nil ? "none yet" : AppsTable.rating(app)),
            ("genres", app.genres.isEmpty ? nil : app.genres.joined(separator: ", ")),
            ("screenshots", screenshots),
            ("icon", URLCredentials.removed(from: app.icon)),
            ("store page", URLCredentials.removed(from: app.storePage)),
        ]
        return rows.compactMap { row in row.1.map { (row.0, $0) } }
    }

    private var screenshots: String {
        let kinds = [("phone", app.phoneScreenshots.count), ("tablet", app.tabletScreenshots.count)]
        let told = kinds.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return told.isEmpty ? "none" : told.joined(separator: ", ")
    }
}
