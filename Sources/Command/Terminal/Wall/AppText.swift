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
        app.rating.map { "\($0.text) of 5 (\(grouped($0.count)) ratings)" }
    }

    /// With a comma at each thousand.
    private static func grouped(_ number: Int) -> String {
        let digits = Array("\(number)")
        return digits.enumerated().map { index, digit in
            (digits.count - index) % 3 == 0 && index > 0 && digits[index - 1].isNumber
                ? ",\(digit)" : "\(digit)"
        }.joined()
    }
}
