import Calotype
import CalotypeCore
public import TaskFlow

/// A search for apps on a screen: one of five states, and the last requested search.
///
/// A search cancels the previous one. A cancelled search changes no state and reports no error, and its late
/// response is dropped. Searching runs off the main actor. When a model is released, it cancels its search.
///
/// ```swift
/// let model = AppStoreSearchModel(catalog.apps)
/// model.onChange = { state in screen.draw(state) }
/// model.search("camera")
/// ```
@MainActor
public final class AppStoreSearchModel {
    /// The state to show.
    public enum State: Sendable {
        /// No search so far.
        case initial
        /// Waiting for the response.
        case loading(AppStoreQuery)
        /// No matches; the response lists the skipped entries.
        case empty(AppStoreResponse)
        /// At least one app.
        case results(AppStoreResponse)
        /// The search failed.
        case failed(AppStoreQuery, CatalogError)
    }

    /// The current state.
    public private(set) var state = State.initial
    /// The last state that was not ``State/loading(_:)``.
    ///
    /// It can be shown until the response arrives, and ``cancel()`` returns to it.
    public private(set) var settled = State.initial
    /// Called after each change of `state`, with the new one.
    public var onChange: (@MainActor (State) -> Void)?

    private let scope: TaskScope
    private let response: @Sendable (AppStoreQuery) async throws -> AppStoreResponse
    private let readers = LatestValue<State>(.initial)
    private var running: ScopedTask?
    private var lastQuery: AppStoreQuery?
    /// Identifies the current search.
    private var lastSearch: UInt64 = 0

    /// Creates a model without a search.
    public convenience init(_ apps: AppStoreSearch) {
        self.init(scope: apps.scope) { try await apps.response(to: $0) }
    }

    /// Creates a model with a custom search.
    ///
    /// - Parameters:
    ///   - scope: Owns the search tasks; its end cancels and awaits them.
    ///   - search: Searches, in one of those tasks and never on the main actor.
    public init(
        scope: TaskScope,
        search: @escaping @Sendable (AppStoreQuery) async throws -> AppStoreResponse
    ) {
        self.scope = scope
        response = search
    }

    deinit {
        running?.cancel()
        readers.finish()
    }

    /// The current state and all later ones, until the model is released.
    ///
    /// A slow reader receives the newest state and misses earlier ones.
    public var states: AsyncStream<State> {
        let reader = readers.makeReader()
        return AsyncStream { await reader.next() }
    }

    /// Whether a search is in progress.
    var isBusy: Bool { running != nil }

    /// Searches for a term with the other parameters of the last search.
    public func search(_ term: String) {
        var query = lastQuery ?? AppStoreQuery(term)
        query.term = term
        search(query)
    }

    /// Searches, replacing any previous search; an empty query has the effect of ``clear()``.
    ///
    /// Does nothing if the same search is in progress.
    public func search(_ query: AppStoreQuery) {
        if case .loading(query) = state { return }
        lastQuery = query
        guard !query.isBlank else { return clear() }
        abandon()
        do {
            running = try start(query)
            change(to: .loading(query))
        } catch {
            change(to: .failed(query, .pipelineClosed))
        }
    }

    /// Repeats a failed search; has no effect in other states.
    public func retry() {
        if case .failed(let query, _) = state { search(query) }
    }

    /// Cancels the search in progress and restores the previous state; has no effect in other states.
    public func cancel() {
        abandon()
        if case .loading = state { change(to: settled) }
    }

    /// Cancels the search in progress and returns to the initial state.
    public func clear() {
        abandon()
        guard case .initial = state else { return change(to: .initial) }
    }

    private func start(_ query: AppStoreQuery) throws(TaskFlowError) -> ScopedTask {
        let number = lastSearch
        // Owner: the scope, which awaits it; the model cancels it.
        return try scope.start(name: "search") { [response, weak self] in
            let outcome: Result<AppStoreResponse, any Error>
            do { outcome = .success(try await response(query)) } catch { outcome = .failure(error) }
            await self?.finish(number, query, outcome)
        }
    }

    /// Cancels the last search; its result no longer counts.
    private func abandon() {
        running?.cancel()
        running = nil
        lastSearch += 1
    }

    private func finish(
        _ number: UInt64,
        _ query: AppStoreQuery,
        _ outcome: Result<AppStoreResponse, any Error>
    ) {
        guard number == lastSearch else { return }
        running = nil
        switch outcome {
        case .success(let response): change(to: response.apps.isEmpty ? .empty(response) : .results(response))
        case .failure(is CancellationError): change(to: settled)
        case .failure(let error): change(to: .failed(query, CatalogError(any: error)))
        }
    }

    /// Call this last: the observer may start another search synchronously.
    private func change(to state: State) {
        self.state = state
        if !state.isLoading { settled = state }
        readers.send(state)
        onChange?(state)
    }
}

extension AppStoreSearchModel.State {
    /// The current or last query; `nil` if there was none.
    public var query: AppStoreQuery? {
        switch self {
        case .initial: nil
        case .loading(let query), .failed(let query, _): query
        case .empty(let response), .results(let response): response.query
        }
    }

    /// The response, if there is one.
    public var response: AppStoreResponse? {
        switch self {
        case .empty(let response), .results(let response): response
        default: nil
        }
    }

    /// The error, if the search failed.
    public var error: CatalogError? {
        if case .failed(_, let error) = self { error } else { nil }
    }

    /// Whether a response is pending.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }
}
