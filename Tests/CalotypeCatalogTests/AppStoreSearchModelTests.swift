import Calotype
import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCatalog

/// The model without a screen and without a network.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct AppSearchModelTests {
    /// Searches that end when and how the test says.
    private final class SearchFixture: Sendable {
        let begun = Recorder<String>()
        let cancelled = Recorder<String>()
        private let isDeaf: Bool
        private let latches = Guarded<[String: Latch<Result<[Int], CatalogError>>]>([:])

        /// - Parameter isDeaf: Whether searches take no notice of being cancelled.
        init(isDeaf: Bool = false) {
            self.isDeaf = isDeaf
        }

        func finish(_ term: String, _ ids: [Int]) {
            latch(term).set(.success(ids))
        }

        func fail(_ term: String, _ code: ErrorCode = .rateLimited) {
            latch(term).set(.failure(CatalogError(code, "no")))
        }

        func search(_ query: AppStoreQuery) async throws -> AppStoreResponse {
            begun.record(query.term)
            let latch = latch(query.term)
            let result: Result<[Int], CatalogError>
            if isDeaf {
                result = await latch.waitUncancelled()
            } else {
                do { result = try await latch.wait() } catch {
                    cancelled.record(query.term)
                    throw error
                }
            }
            return AppSearchModelTests.answer(query, try result.get())
        }

        /// Lets the next search for the term wait again.
        func renew(_ term: String) {
            latches.withLock { $0[term] = nil }
        }

        private func latch(_ term: String) -> Latch<Result<[Int], CatalogError>> {
            latches.withLock { latches in
                let latch = latches[term] ?? Latch()
                latches[term] = latch
                return latch
            }
        }
    }

    nonisolated static func answer(_ query: AppStoreQuery, _ ids: [Int]) -> AppStoreResponse {
        let apps = ids.map {
            AppStoreEntity(
                id: $0,
                name: "app \($0)",
                storePage: "https://s.test/\($0)",
                icon: "https://i.test/\($0)"
            )
        }
        return AppStoreResponse(query: query, listing: CatalogListing(entries: apps))
    }

    /// A state in a few words.
    private static func text(_ state: AppStoreSearchModel.State) -> String {
        switch state {
        case .initial: "initial"
        case .loading(let query): "loading \(query.term)"
        case .empty(let answer): "empty \(answer.query.term)"
        case .results(let answer): "results \(answer.query.term) \(answer.apps.map(\.id))"
        case .failed(let query, let error): "failed \(query.term) \(error.code)"
        }
    }

    private func told(by model: AppStoreSearchModel) -> Recorder<String> {
        let told = Recorder<String>()
        model.onChange = { told.record(Self.text($0)) }
        return told
    }

    private func withModel(
        _ fixture: SearchFixture,
        _ body: (AppStoreSearchModel, Recorder<String>, TaskScope) async throws -> Void
    ) async throws {
        try await withTaskScope { scope in
            let model = AppStoreSearchModel(scope: scope) { try await fixture.search($0) }
            try await body(model, told(by: model), scope)
        }
    }

    @Test func `a search goes from initial over loading to the results`() async throws {
        let fixture = SearchFixture()
        try await withModel(fixture) { model, told, _ in
            #expect(Self.text(model.state) == "initial")
            model.search("moss")
            #expect(model.state.isLoading && model.isBusy)
            try await fixture.begun.wait(count: 1)
            fixture.finish("moss", [3, 5])
            try await told.wait(count: 2)
            #expect(told.values == ["loading moss", "results moss [3, 5]"])
            #expect(model.state.response?.apps.map(\.id) == [3, 5] && !model.isBusy)
        }
    }

    @Test func `no results are empty, and a failure is a failure`() async throws {
        let fixture = SearchFixture()
        try await withModel(fixture) { model, told, _ in
            model.search("none")
            fixture.finish("none", [])
            try await told.wait(count: 2)
            model.search("bad")
            fixture.fail("bad")
            try await told.wait(count: 4)
            #expect(told.values == ["loading none", "empty none", "loading bad", "failed bad rate_limited"])
            #expect(model.state.error?.code == .rateLimited && model.state.query?.term == "bad")
        }
    }

    @Test(arguments: [false, true])
    func `a new search cancels the previous one, whose result never appears`(_ isDeaf: Bool) async throws {
        let fixture = SearchFixture(isDeaf: isDeaf)
        try await withModel(fixture) { model, told, scope in
            model.search("old")
            try await fixture.begun.wait(count: 1)
            model.search("new")
            try await fixture.begun.wait(count: 2)
            if !isDeaf { try await fixture.cancelled.wait(count: 1) }
            fixture.finish("new", [2])
            try await told.wait(count: 3)
            fixture.finish("old", [1])
            await scope.end(.drain)
            #expect(told.values == ["loading old", "loading new", "results new [2]"])
            #expect(fixture.cancelled.values == (isDeaf ? [] : ["old"]))
        }
    }

    @Test func `the old response that arrives first does not appear either, nor does its failure`()
        async throws
    {
        let fixture = SearchFixture(isDeaf: true)
        try await withModel(fixture) { model, told, _ in
            for term in ["old", "older"] {
                model.search(term)
                try await fixture.begun.wait(count: term == "old" ? 1 : 2)
            }
            model.search("new")
            fixture.finish("old", [1])
            fixture.fail("older")
            try await fixture.begun.wait(count: 3)
            #expect(Self.text(model.state) == "loading new")
            fixture.finish("new", [2])
            try await told.wait(count: 4)
            #expect(told.values == ["loading old", "loading older", "loading new", "results new [2]"])
        }
    }

    @Test func `a cancelled search leaves what was there before it, and no error`() async throws {
        let fixture = SearchFixture()
        try await withModel(fixture) { model, told, scope in
            model.search("moss")
            fixture.finish("moss", [1])
            try await told.wait(count: 2)
            model.search("fern")
            try await fixture.begun.wait(count: 2)
            #expect(Self.text(model.settled) == "results moss [1]")
            model.cancel()
            model.cancel()
            #expect(Self.text(model.state) == "results moss [1]" && !model.isBusy)
            await scope.end(.drain)
            #expect(told.values == ["loading moss", "results moss [1]", "loading fern", "results moss [1]"])
            #expect(fixture.cancelled.values == ["fern"])
        }
    }

    @Test func `a search that is cancelled with its scope reports no error`() async throws {
        let fixture = SearchFixture()
        try await withModel(fixture) { model, told, scope in
            model.search("moss")
            try await fixture.begun.wait(count: 1)
            await scope.end()
            #expect(told.values == ["loading moss", "initial"])
            model.search("fern")
            #expect(told.values.last == "failed fern pipeline_closed")
        }
    }

    @Test func `cleared, it is as in the beginning`() async throws {
        let fixture = SearchFixture()
        try await withModel(fixture) { model, told, scope in
            model.clear()
            model.search("moss")
            try await fixture.begun.wait(count: 1)
            model.clear()
            model.search(" \n")
            await scope.end(.drain)
            #expect(told.values == ["loading moss", "initial"])
            #expect(fixture.cancelled.values == ["moss"])
        }
    }

    @Test func `what is under way is not asked again; what has failed may be`() async throws {
        let fixture = SearchFixture()
        try await withModel(fixture) { model, told, _ in
            model.retry()
            model.search("moss")
            model.search("moss")
            try await fixture.begun.wait(count: 1)
            fixture.fail("moss")
            try await told.wait(count: 2)
            fixture.renew("moss")
            model.retry()
            try await fixture.begun.wait(count: 2)
            fixture.finish("moss", [1])
            try await told.wait(count: 4)
            #expect(
                told.values
                    == ["loading moss", "failed moss rate_limited", "loading moss", "results moss [1]"]
            )
            model.retry()
            #expect(fixture.begun.count == 2)
        }
    }

    @Test func `a term is searched where the last search was made`() async throws {
        let fixture = SearchFixture()
        try await withModel(fixture) { model, _, _ in
            model.search(AppStoreQuery("moss", country: "de", limit: 5))
            model.search("fern")
            #expect(model.state.query == AppStoreQuery("fern", country: "de", limit: 5))
        }
    }

    @Test func `an observer may search again immediately`() async throws {
        let fixture = SearchFixture()
        try await withModel(fixture) { model, _, _ in
            let told = Recorder<String>()
            model.onChange = { [weak model] state in
                told.record(Self.text(state))
                if case .empty = state { model?.search("fern") }
            }
            model.search("moss")
            fixture.finish("moss", [])
            fixture.finish("fern", [1])
            try await told.wait(count: 4)
            #expect(told.values == ["loading moss", "empty moss", "loading fern", "results fern [1]"])
        }
    }

    @Test func `a reader of the states gets the newest, and the end when the model is released`() async throws
    {
        let fixture = SearchFixture()
        try await withTaskScope { scope in
            var model: AppStoreSearchModel? = AppStoreSearchModel(scope: scope) {
                try await fixture.search($0)
            }
            var states = try #require(model?.states).makeAsyncIterator()
            let first = await states.next()
            #expect(first.map(Self.text) == "initial")
            model?.search("moss")
            let second = await states.next()
            #expect(second.map(Self.text) == "loading moss")
            try await fixture.begun.wait(count: 1)
            model = nil
            let last = await states.next()
            #expect(last == nil)
            try await fixture.cancelled.wait(count: 1)
        }
    }

    @Test func `an error of another kind is a failed search all the same`() async throws {
        struct Odd: Error {}
        try await withTaskScope { scope in
            let model = AppStoreSearchModel(scope: scope) { _ in throw Odd() }
            let told = told(by: model)
            model.search("moss")
            try await told.wait(count: 2)
            #expect(told.values.last == "failed moss search_failed")
        }
    }

    @Test func `a search that is replaced closes its request at the origin`() async throws {
        try await StoreFront.open { front in
            try front.search("old", with: .never)
            try front.search("new", with: StoreFront.answer([2]))
            let model = AppStoreSearchModel(front.catalog.apps)
            let told = told(by: model)
            model.search("old")
            try await front.origin.waitForRequests(1)
            model.search("new")
            try await front.origin.statistics { $0.cancelled == 1 }
            try await told.wait(count: 3)
            #expect(told.values == ["loading old", "loading new", "results new [2]"])
        }
    }
}
