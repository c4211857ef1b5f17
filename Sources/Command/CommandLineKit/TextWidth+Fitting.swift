extension TextWidth {
    /// `text` where it fits into `columns`, otherwise its beginning with an ellipsis at the end.
    package static func fitted(_ text: String, columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var beginning = prefix(of: text, columns: columns - 1)
        while beginning.last == " " { beginning.removeLast() }
        return beginning + "…"
    }
}
