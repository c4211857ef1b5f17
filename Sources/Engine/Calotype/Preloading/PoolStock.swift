import CalotypeCore
import TaskFlow

/// The shell around a pool's state: it starts and ends preloads, and is what their tasks keep instead of the pool.
final class PoolStock<Picture: Sendable>: Sendable {
    typealias Fill = PoolState<Picture>.Fill

    private struct Shared: Sendable {
        var pool = PoolState<Picture>()
        var random: any RandomNumberGenerator & Sendable
    }

    private let loader: ImageLoader<Picture>
    private let limit: Int
    private let requests: @Sendable () async throws -> [ImageRequest]
    private let state: Guarded<Shared>

    init(
        _ loader: ImageLoader<Picture>,
        limit: Int,
        random: any RandomNumberGenerator & Sendable,
        requests: @escaping @Sendable () async throws -> [ImageRequest]
    ) {
        self.loader = loader
        self.limit = limit
        self.requests = requests
        state = Guarded(Shared(random: random))
    }

    var count: Int { state.withLock { $0.pool.pictures.count } }
    var isFilling: Bool { state.withLock { $0.pool.fill != nil } }

    /// Gives a picture or tells what to wait for, and starts a preload if there is none.
    func ask() -> PoolState<Picture>.Answer {
        let answer = state.withLock { $0.pool.ask(&$0.random) }
        if case .start(let fill) = answer { start(fill) }
        return answer
    }

    /// Cancels the preload and forgets the pictures.
    func end() {
        let (fill, pictures) = state.withLock { $0.pool.end() }
        fill?.task?.cancel()
        fill?.first.set(.failure(CancellationError()))
        withExtendedLifetime(pictures) {}
    }

    private func start(_ fill: Fill) {
        do {
            // Owner: the loader's scope, which awaits it; `end` cancels it.
            let task = try loader.scope.start(name: "pool") { await self.run(fill) }
            let counts = state.withLock { $0.pool.attach(task, to: fill.number) }
            if !counts { task.cancel() }
        } catch {
            finish(fill, CalotypeError.closedScope)
        }
    }

    private func run(_ fill: Fill) async {
        do {
            let requests = try await requests()
            let firstError = await load(requests, fill)
            try Task.checkCancellation()
            finish(fill, Self.empty(requests.count, firstError))
        } catch is CancellationError {
            abandon(fill)
        } catch {
            finish(fill, error)
        }
    }

    /// Loads the pictures and gives the first error, which is of no account when others have loaded.
    private func load(_ requests: [ImageRequest], _ fill: Fill) async -> (any Error)? {
        let results = requests.concurrentResults(limit: limit, in: loader.scope, name: "pool") {
            [loader] request in
            try await loader.load(request, LivePriority(request))
        }
        var firstError: (any Error)?
        for await result in results {
            switch result.result {
            case .success(let picture): add(picture, fill)
            case .failure(let error): firstError = firstError ?? error
            }
        }
        return firstError
    }

    private func add(_ picture: Picture, _ fill: Fill) {
        state.withLock { $0.pool.add(picture, from: fill.number) }
        fill.first.set(.success(picture))
    }

    /// Ends a preload; those who still wait get `error`, which is so only when nothing was loaded.
    private func finish(_ fill: Fill, _ error: any Error) {
        state.withLock { $0.pool.finish(fill.number) }
        fill.first.set(.failure(error))
    }

    /// Ends a preload that was cancelled, by `end` or with its scope: a later ask starts anew.
    private func abandon(_ fill: Fill) {
        let pictures = state.withLock { $0.pool.fill?.number == fill.number ? $0.pool.end().pictures : [] }
        fill.first.set(.failure(CancellationError()))
        withExtendedLifetime(pictures) {}
    }

    private static func empty(_ count: Int, _ cause: (any Error)?) -> CalotypeError {
        CalotypeError(
            .emptyResult,
            count == 0 ? "the pool has no pictures to load" : "none of \(count) pictures could be loaded",
            stage: .request,
            cause: cause
        )
    }
}
