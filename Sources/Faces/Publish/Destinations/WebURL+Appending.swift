internal import CalotypeCore
internal import CalotypeHTTP

extension WebURL {
    /// The URL of the file `name` in the folder that this one is, whether it ends in a slash or not.
    func appending(_ name: String) throws(CalotypeError) -> WebURL {
        let folder = withoutQuery.hasSuffix("/") ? withoutQuery : withoutQuery + "/"
        return try WebURL(folder + PercentEscapes.encoded(name)).adding(query)
    }

    /// The URL with `query`, where it has none.
    func adding(_ query: Substring?) throws(CalotypeError) -> WebURL {
        guard let query, self.query == nil else { return self }
        return try WebURL("\(text)?\(query)")
    }

    /// What follows the question mark, such as a signature; `nil` where there is none.
    var query: Substring? {
        text.firstIndex(of: "?").map { text[text.index(after: $0)...] }
    }

    /// The text without its query.
    var withoutQuery: String { text.urlWithoutQuery }
}

extension String {
    /// The URL without its query, in which a signature would be.
    var urlWithoutQuery: String { String(prefix { $0 != "?" }) }
}
