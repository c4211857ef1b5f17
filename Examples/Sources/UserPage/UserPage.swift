import Calotype

/// A page on the screen: empty, loading, its content, or an error in its place.
@MainActor
final class UserPage {
    enum State: Sendable {
        case empty, loading
        case content(PageContent)
        case failure(String)
    }

    private(set) var state = State.empty
    private let loader: PageLoader
    private let cache: PageCache
    private var loading: Task<Void, Never>?

    init(_ loader: PageLoader, _ cache: PageCache) {
        self.loader = loader
        self.cache = cache
    }

    /// Begins to load the user at `url` in place of what is shown.
    func show(_ url: String) {
        loading?.cancel()
        state = .loading
        // Owner: this page. It cancels the task when it is left, and `leave` awaits it.
        loading = Task { await load(url) }
    }

    /// Waits until the page has its content or its error.
    func finish() async {
        await loading?.value
    }

    /// Leaves the page: cancels what is under way, and returns when that has ended.
    func leave() async {
        loading?.cancel()
        await loading?.value
        loading = nil
        state = .empty
    }

    private func load(_ url: String) async {
        do {
            let content = try await loader.content(at: url)
            // The page may show another user by now.
            try Task.checkCancellation()
            state = .content(content)
            try await keep(content)
        } catch is CancellationError {
            // Whoever cancelled has put something else on the page.
        } catch {
            state = .failure("\(error)")
        }
    }

    /// Writes to the cache and cleans it, in the background: the page may be left meanwhile.
    private func keep(_ content: PageContent) async throws {
        try await loader.pipeline.inBackground(name: "page cache") { [cache] in
            await cache.store(content.avatar.bytes, named: "user-\(content.id).png")
            await cache.clean()
        }
    }
}
