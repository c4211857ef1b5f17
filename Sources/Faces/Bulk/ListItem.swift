public import CalotypeCore

/// An entry of a URL list.
public struct ListItem: Hashable, Sendable {
    /// Its place in the list, from 0; blank lines and comments are not counted.
    public let index: Int
    /// The URL as given, blanks around it trimmed; a user name and a password may be in it.
    public let url: String
    /// Why the entry cannot be used, if so: the line is too long, or the list broke off here.
    public let problem: Problem?

    /// Why an entry of a list cannot be used.
    public struct Problem: Hashable, Sendable {
        /// The stable word for it.
        public let code: ErrorCode
        /// What happened, for people.
        public let message: String
    }

    package init(index: Int, url: String, problem: Problem? = nil) {
        self.index = index
        self.url = url
        self.problem = problem
    }
}

extension ListItem {
    /// The entry that a line is; `nil` for a blank line or a comment.
    init?(_ line: LineSplitter.Line, index: Int) {
        guard let url = ListLine.url(in: line.bytes) else { return nil }
        let problem = Problem(code: .invalidURL, message: "the line is longer than 64 KiB")
        self.init(index: index, url: url, problem: line.isTooLong ? problem : nil)
    }

    /// The entries of a list that is in memory, by the rules for files; what comes after `limit` of them is left out.
    package static func entries(of text: String, limit: Int) -> [ListItem] {
        let bytes = Array(text.utf8)
        var splitter = LineSplitter()
        let mark = ListLine.byteOrderMark
        let lines = splitter.split(bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes)
        var entries: [ListItem] = []
        for line in lines + [splitter.finish()] where entries.count < limit {
            if let item = ListItem(line, index: entries.count) { entries.append(item) }
        }
        return entries
    }
}
