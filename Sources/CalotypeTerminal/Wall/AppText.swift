import CalotypeCatalog

/// What is said of an app on its page.
enum AppText {
    /// All of it, in lines of at most `columns`.
    static func lines(_ app: AppEntity, columns: Int) -> [StyledLine] {
        let facts = [rating(app), app.price, app.version.map { "version \($0)" }].compactMap { $0 }
        let head: [(String, TextStyle)] = [
            ("", .plain), (app.name, .bold), (app.developer ?? "", .plain),
            (facts.joined(separator: " · "), .plain),
            (app.genres.joined(separator: ", "), .plain), (app.bundleID ?? "", .dim), (app.storePage, .dim),
        ]
        let top = head.enumerated().filter { $0.offset == 0 || !$0.element.0.isEmpty }.map(\.element)
        return (top + [("", .plain), (app.summary, .plain)]).flatMap { text, style in
            TextLines.wrap(text, columns: columns).map { StyledLine(text: $0, style: style) }
        }
    }

    private static func rating(_ app: AppEntity) -> String? {
        app.rating.map { "\($0.text) of 5 (\($0.count) ratings)" }
    }
}
