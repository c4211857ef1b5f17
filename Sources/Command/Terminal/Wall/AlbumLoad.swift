import CalotypeCatalog
import TaskFlow

/// Loads the album of a wall.
@MainActor
final class AlbumLoad {
    /// Called after each change of `content`.
    var onChange: (() -> Void)?
    /// The content to show for the album.
    private(set) var content = WallContent.initial

    private let scope: TaskScope
    private let fetch: @Sendable (Int) async throws -> [AlbumPhoto]
    private var album: Int?
    private var task: ScopedTask?

    /// Creates a loader without an album; `fetch` runs in a task of `scope`.
    init(scope: TaskScope, fetch: @escaping @Sendable (Int) async throws -> [AlbumPhoto]) {
        self.scope = scope
        self.fetch = fetch
    }

    /// Loads an album.
    func load(_ id: Int) {
        cancel()
        album = id
        content = .loading(album: id)
        // Owner: the scope, which awaits it. If the scope has ended, so has the wall.
        task = try? scope.start(name: "album") { [fetch, weak self] in
            let outcome: Result<[AlbumPhoto], CatalogError>
            do {
                outcome = .success(try await fetch(id))
            } catch let error as CatalogError {
                outcome = .failure(error)
            } catch {
                // The task was cancelled, and nobody waits for its result.
                return
            }
            await self?.finish(id, outcome)
        }
        onChange?()
    }

    /// Loads the album again after a failure.
    func retry() {
        guard content.state == .failed, let album else { return }
        load(album)
    }

    func cancel() {
        task?.cancel()
        task = nil
    }

    private func finish(_ id: Int, _ outcome: Result<[AlbumPhoto], CatalogError>) {
        guard task != nil else { return }
        task = nil
        content = .album(id, outcome)
        onChange?()
    }
}
