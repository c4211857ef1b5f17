import Calotype

/// A page on the screen: empty, loading, its content, or an error instead.
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

    /// Starts loading the user at `url`, replacing the current content.
    func show(_ url: String) {
        loading?.cancel()
        state = .loading
        // Owner: this page, which cancels the task when the user leaves, and `leave` awaits it.
        loading = Task { await load(url) }
    }

    /// Waits until the page has its content or an error.
    func finish() async {
        await loading?.value
    }

    /// Leaves the page: cancels its work, and returns when that has ended.
    func leave() async {
        loading?.cancel()
        await loading?.value
        loading = nil
        state = .empty
    }

    private func load(_ url: String) async {
        do {
            let content = try await loader.content(at: url)
            // The page may already show another user.
            try Task.checkCancellation()
            state = .content(content)
            try await keep(content)
        } catch is CancellationError {
            // The code that cancelled has already changed the page.
        } catch {
            state = .failure("\(error)")
        }
    }

    /// Writes to the cache and cleans it in the background, even if the user leaves the page.
    private func keep(_ content: PageContent) async throws {
        try await loader.pipeline.inBackground(name: "page cache") { [cache] in
            await cache.store(content.avatar.bytes, named: "user-\(content.id).png")
            await cache.clean()
        }
    }
}
