extension AppSearchModel.State {
    /// What is or was searched for; `nil` where nothing was.
    public var query: AppQuery? {
        switch self {
        case .initial: nil
        case .loading(let query), .failed(let query, _): query
        case .empty(let answer), .results(let answer): answer.query
        }
    }

    /// The answer, if there is one.
    public var answer: AppAnswer? {
        switch self {
        case .empty(let answer), .results(let answer): answer
        default: nil
        }
    }

    /// What went wrong, if something did.
    public var error: CatalogError? {
        if case .failed(_, let error) = self { error } else { nil }
    }

    /// Whether the answer is on its way.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }
}
