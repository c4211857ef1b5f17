import Calotype
import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeServer
import TaskFlow

/// A list of pictures, and what has become of each; the pictures themselves are in the caches.
final class Wall: Sendable {
    /// How far it is.
    struct Figures: Hashable, Sendable {
        var done = 0
        var failed = 0
        /// Loads under way.
        var loading = 0
    }

    private struct State {
        /// In the order in which they ended.
        var outcomes: [FetchOutcome] = []
        var figures = Figures()
    }

    let id: String
    let contents: WallContents
    private let side: Int
    private let headers: HTTPHeaders
    private let services: AppServices
    private let state = Guarded(State())

    /// - Parameters:
    ///   - id: Its name in paths.
    ///   - contents: What is on it.
    ///   - side: How large its pictures are made.
    ///   - headers: Those that its pictures will be asked for with.
    ///   - services: Make and serve the pictures.
    init(
        id: String,
        _ contents: WallContents,
        side: Int,
        headers: HTTPHeaders,
        _ services: AppServices
    ) {
        self.id = id
        self.contents = contents
        self.side = side
        self.headers = headers
        self.services = services
    }

    var total: Int { contents.items.count }
    var figures: Figures { state.withLock(\.figures) }
    /// What has ended, in that order.
    var outcomes: [FetchOutcome] { state.withLock(\.outcomes) }

    /// What has ended after the first `count`, at most so many that an event stays small.
    func outcomes(after count: Int) -> ArraySlice<FetchOutcome> {
        // A copy: a slice that is kept would have the next outcome copy all that are there.
        let rest = state.withLock { Array($0.outcomes[count...].prefix(WallEvents.mostEntries)) }
        var bytes = 0
        return rest.prefix { outcome in
            defer { bytes += outcome.url.utf8.count }
            return bytes < WallEvents.mostBytes
        }
    }

    /// The entry at a place of the list, if there is one.
    func item(_ index: Int) -> ListItem? {
        contents.items.indices.contains(index) ? contents.items[index] : nil
    }

    /// The path at which a page gets the picture of the entry at a place of the list.
    func path(toPicture index: Int) throws -> String? {
        try item(index).map { try services.path(to: $0.url, contents.fit, side: side) }
    }

    /// What the path of an entry's picture leads to.
    ///
    /// - Throws: `CalotypeError` where there can be no picture.
    func request(for item: ListItem) throws -> ImageRequest {
        if let problem = item.problem {
            throw CalotypeError(problem.code, problem.message, stage: .request)
        }
        do {
            let path = try services.thumbnailPath(to: item.url, contents.fit, side: side)
            return try services.thumbnails.imageRequest(at: path, headers: headers)
        } catch let refusal as RequestError {
            throw CalotypeError(refusal.code, refusal.detail, stage: .request)
        }
    }

    func began() {
        state.withLock { $0.figures.loading += 1 }
    }

    /// Takes down what has become of an entry whose load had begun; `nil` for one that was cut short.
    func ended(_ outcome: FetchOutcome?) {
        state.withLock { state in
            state.figures.loading -= 1
            guard let outcome else { return }
            state.outcomes.append(outcome)
            if outcome.status == .ok { state.figures.done += 1 } else { state.figures.failed += 1 }
        }
    }
}

extension Wall {
    /// How many of a wall's pictures are under way at a time; the pipeline's gates bound them too.
    static let width = 128

    /// Loads all pictures as they finish, and tells of each; what it has begun is cancelled and awaited with the caller's task.
    func load(_ pipeline: ImagePipeline, onOutcome: @Sendable () -> Void) async {
        await withConcurrentResults(of: contents.items, limit: Self.width, name: "wall") { item in
            self.began()
            let outcome = await self.outcome(of: item, pipeline)
            self.ended(outcome)
            return outcome != nil
        } body: { results in
            for await element in results where (try? element.result.get()) == true { onOutcome() }
        }
    }

    /// What has become of an entry; `nil` where its load was cut short.
    private func outcome(of item: ListItem, _ pipeline: ImagePipeline) async -> FetchOutcome? {
        do {
            return .loaded(item, try await pipeline.load(try request(for: item)))
        } catch let failure as LoadError {
            return .failed(item, failure)
        } catch let error as CalotypeError {
            return .failed(item, LoadError(error))
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(item, LoadError(CalotypeError(.invalidRequest, "\(error)", stage: .request)))
        }
    }
}
