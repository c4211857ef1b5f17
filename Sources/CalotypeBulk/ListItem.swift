public import CalotypeCore

/// An entry of a URL list.
public struct ListItem: Hashable, Sendable {
    /// Its place in the list, from 0; blank lines and comments are not counted.
    public let index: Int
    /// The URL as given, blanks around it trimmed.
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

    init(index: Int, url: String, problem: Problem? = nil) {
        self.index = index
        self.url = url
        self.problem = problem
    }
}
