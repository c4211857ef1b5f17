import Calotype
import CalotypeCore
public import TaskFlow

/// A search for apps as a screen shows it: one of five states, and the last search that was asked for.
///
/// A search cancels the one before. A cancelled search changes no state and reports no error, and an answer that comes
/// late all the same is dropped. Searching happens off the main actor. A model that is let go cancels its search.
///
/// ```swift
/// let model = AppStoreSearchModel(catalog.apps)
/// model.onChange = { state in screen.draw(state) }
/// model.search("camera")
/// ```
@MainActor
public final class AppStoreSearchModel {
    /// What there is to show.
    public enum State: Sendable {
        /// Nothing has been searched for.
        case initial
        /// The answer is on its way.
        case loading(AppStoreQuery)
        /// The store has no such app; the answer tells what was left out of it.
        case empty(AppStoreResponse)
        /// What was found: at least one app.
        case results(AppStoreResponse)
        /// The search went wrong.
        case failed(AppStoreQuery, CatalogError)
    }

    /// What there is to show now.
    public private(set) var state = State.initial
    /// The last state that was not ``State/loading(_:)``: what may be shown until the answer comes, and what
    /// ``cancel()`` goes back to.
    public private(set) var settled = State.initial
    /// Called after each change of `state`, with the new one.
    public var onChange: (@MainActor (State) -> Void)?

    private let scope: TaskScope
    private let answer: @Sendable (AppStoreQuery) async throws -> AppStoreResponse
    private let readers = LatestValue<State>(.initial)
    private var running: ScopedTask?
    private var lastQuery: AppStoreQuery?
    /// Tells the search that counts from those before it.
    private var lastSearch: UInt64 = 0

    /// Creates a model that has searched for nothing.
    public convenience init(_ apps: AppStoreSearch) {
        self.init(scope: apps.scope) { try await apps.answer(to: $0) }
    }

    /// Creates a model that searches something else.
    ///
    /// - Parameters:
    ///   - scope: Owns the tasks that search; its end cancels and awaits them.
    ///   - search: Searches, in one of those tasks, never on the main actor.
    public init(
        scope: TaskScope,
        search: @escaping @Sendable (AppStoreQuery) async throws -> AppStoreResponse
    ) {
        self.scope = scope
        answer = search
    }

    deinit {
        running?.cancel()
        readers.finish()
    }

    /// The states from the present one on, until the model is let go; a slow reader gets the newest and misses those
    /// between.
    public var states: AsyncStream<State> {
        let reader = readers.makeReader()
        return AsyncStream { await reader.next() }
    }

    /// Whether the model keeps a search that has not ended.
    var isBusy: Bool { running != nil }

    /// Searches for a term where and how the last search was made.
    public func search(_ term: String) {
        var query = lastQuery ?? AppStoreQuery(term)
        query.term = term
        search(query)
    }

    /// Searches, in place of whatever was searched for before; without words it is ``clear()``.
    ///
    /// Nothing changes when that search is under way already.
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

    /// Searches once more for what has failed; changes nothing in other states.
    public func retry() {
        if case .failed(let query, _) = state { search(query) }
    }

    /// Cancels the search under way, and shows what was there before it; changes nothing in other states.
    public func cancel() {
        abandon()
        if case .loading = state { change(to: settled) }
    }

    /// Cancels the search under way, and shows nothing.
    public func clear() {
        abandon()
        guard case .initial = state else { return change(to: .initial) }
    }

    private func start(_ query: AppStoreQuery) throws(TaskScopeEnded) -> ScopedTask {
        let number = lastSearch
        // Owner: the scope, which awaits it; the model cancels it.
        return try scope.start(name: "search") { [answer, weak self] in
            let outcome: Result<AppStoreResponse, any Error>
            do { outcome = .success(try await answer(query)) } catch { outcome = .failure(error) }
            await self?.finish(number, query, outcome)
        }
    }

    /// Cancels the search that was started last; what it still gives does not count.
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
        case .success(let answer): change(to: answer.apps.isEmpty ? .empty(answer) : .results(answer))
        case .failure(is CancellationError): change(to: settled)
        case .failure(let error): change(to: .failed(query, CatalogError(any: error)))
        }
    }

    /// Comes last wherever it is called, because the observer may search again at once.
    private func change(to state: State) {
        self.state = state
        if !state.isLoading { settled = state }
        readers.send(state)
        onChange?(state)
    }
}

extension AppStoreSearchModel.State {
    /// What is or was searched for; `nil` where nothing was.
    public var query: AppStoreQuery? {
        switch self {
        case .initial: nil
        case .loading(let query), .failed(let query, _): query
        case .empty(let answer), .results(let answer): answer.query
        }
    }

    /// The answer, if there is one.
    public var answer: AppStoreResponse? {
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
