import Calotype
import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeServer
import TaskFlow

/// A list of pictures and their outcomes; the pictures themselves are in the caches.
final class Wall: Sendable {
    /// The counts of a wall.
    struct Figures: Hashable, Sendable {
        var done = 0
        var failed = 0
        /// The number of loads in progress.
        var loading = 0
    }

    private struct State {
        /// The outcomes in the order in which the loads ended.
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
    ///   - id: The wall's name in paths.
    ///   - contents: The entries.
    ///   - side: The size of the pictures.
    ///   - headers: The header fields of future picture requests.
    ///   - services: Create and serve the pictures.
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
    /// All outcomes, in the order in which the loads ended.
    var outcomes: [FetchOutcome] { state.withLock(\.outcomes) }

    /// Returns outcomes after the first `count`, limited so that an event stays small.
    func outcomes(after count: Int) -> ArraySlice<FetchOutcome> {
        // A copy: a slice in use would make the next append copy the whole array.
        let rest = state.withLock { Array($0.outcomes[count...].prefix(WallEvents.mostEntries)) }
        var bytes = 0
        return rest.prefix { outcome in
            defer { bytes += outcome.url.utf8.count }
            return bytes < WallEvents.mostBytes
        }
    }

    /// Returns the entry at a position of the list, if there is one.
    func item(_ index: Int) -> ListItem? {
        contents.items.indices.contains(index) ? contents.items[index] : nil
    }

    /// Returns the path of the picture at a position of the list.
    func path(toPicture index: Int) throws -> String? {
        try item(index).map { try services.path(to: $0.url, contents.fit, side: side) }
    }

    /// Returns the request for an entry's picture.
    ///
    /// - Throws: `CalotypeError` if the entry cannot have a picture.
    func request(for item: ListItem) throws -> ImageRequest {
        if let reason = item.invalidReason {
            throw CalotypeError(reason.code, reason.message, stage: .request)
        }
        do {
            let path = try services.thumbnailPath(to: item.url, contents.fit, side: side)
            return try services.thumbnails.imageRequest(at: path, headers: headers)
        } catch let error as ServerError {
            throw CalotypeError(error.code, error.message, stage: .request)
        }
    }

    func began() {
        state.withLock { $0.figures.loading += 1 }
    }

    /// Records the outcome of a load; `nil` if the load was cancelled.
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
    /// The number of pictures that a wall loads at the same time; the pipeline's gates also limit them.
    static let width = 128

    /// Loads all pictures and reports each outcome; if the task is cancelled, cancels and awaits all loads.
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

    /// Returns the outcome of an entry; `nil` if its load was cancelled.
    private func outcome(of item: ListItem, _ pipeline: ImagePipeline) async -> FetchOutcome? {
        do {
            return .loaded(item, try await pipeline.load(try request(for: item)))
        } catch let error as CalotypeError {
            return .failed(item, error)
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(item, CalotypeError(.invalidRequest, "\(error)", stage: .request))
        }
    }
}
