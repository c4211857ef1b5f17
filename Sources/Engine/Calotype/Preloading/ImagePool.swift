public import CalotypeCore
import TaskFlow

/// Loads a set of pictures once and returns random ones.
///
/// The first request starts the preload. While the pool fills, a request returns one of the loaded pictures,
/// or waits for the first one. All callers share one preload and one wait. A picture that fails is left out.
/// If none can be loaded, the waiters receive `empty_result`, and the next request starts the preload again.
///
/// The preload belongs to the pool, not to the caller that started it: cancelling a caller affects only that
/// caller. ``end()``, releasing the pool and the end of the pipeline cancel the preload.
///
/// ```swift
/// let pool = ImagePool(pipeline.renditionLoader, of: requests)
/// let picture = try await pool.randomPicture()
/// ```
public final class ImagePool<Picture: Sendable>: Sendable {
    private let stock: PoolStock<Picture>

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - loader: Loads the pictures.
    ///   - requests: The requests of the pictures.
    ///   - limit: The maximum number of concurrent loads, at least one; 8 by default.
    ///   - random: The generator that chooses among the pictures.
    public convenience init(
        _ loader: ImageLoader<Picture>,
        of requests: [ImageRequest],
        limit: Int = 8,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.init(loader, limit: limit, random: random) { requests }
    }

    /// Creates a pool that determines its requests at the start of each preload.
    ///
    /// - Parameters:
    ///   - loader: Loads the pictures.
    ///   - limit: The maximum number of concurrent loads, at least one; 8 by default.
    ///   - random: The generator that chooses among the pictures.
    ///   - requests: Returns the requests, for example from an album's list. Waiters receive its errors.
    public init(
        _ loader: ImageLoader<Picture>,
        limit: Int = 8,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        requests: @escaping @Sendable () async throws -> [ImageRequest]
    ) {
        stock = PoolStock(loader, limit: max(limit, 1), random: random, requests: requests)
    }

    deinit {
        stock.end()
    }

    /// The number of loaded pictures.
    public var count: Int { stock.count }

    /// Whether a preload is in progress.
    public var isFilling: Bool { stock.isFilling }

    /// Starts the preload, unless it is in progress or done.
    public func preload() {
        _ = stock.ask()
    }

    /// Returns a random picture of those loaded, or waits for the first.
    ///
    /// - Throws: `CalotypeError` with `empty_result` if none could be loaded, or with `pipeline_closed` if
    ///   the pipeline has ended; the error of the closure that returns the requests; `CancellationError` if
    ///   the caller is cancelled or the pool is ended.
    public func randomPicture() async throws -> Picture {
        switch stock.ask() {
        case .picture(let picture): picture
        case .wait(let fill), .start(let fill): try await fill.first.wait().get()
        }
    }

    /// Cancels the preload and removes all pictures.
    ///
    /// The next request starts again.
    public func end() {
        stock.end()
    }
}

/// The shell around a pool's state.
///
/// It starts and ends preloads, and their tasks hold it instead of the pool.
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

    /// Returns a picture, or the preload to wait for.
    ///
    /// Starts a preload if there is none.
    func ask() -> PoolState<Picture>.Decision {
        let decision = state.withLock { $0.pool.ask(&$0.random) }
        if case .start(let fill) = decision { start(fill) }
        return decision
    }

    /// Cancels the preload and removes the pictures.
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
            finish(fill, ImagePipeline.closedError)
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

    /// Loads the pictures and returns the first error, which is ignored if other pictures were loaded.
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

    /// Finishes a preload.
    ///
    /// Remaining waiters receive `error` if nothing was loaded.
    private func finish(_ fill: Fill, _ error: any Error) {
        state.withLock { $0.pool.finish(fill.number) }
        fill.first.set(.failure(error))
    }

    /// Ends a preload that was cancelled by `end` or with its scope.
    ///
    /// A later request starts again.
    private func abandon(_ fill: Fill) {
        let pictures = state.withLock { $0.pool.fill?.number == fill.number ? $0.pool.end().pictures : [] }
        fill.first.set(.failure(CancellationError()))
        withExtendedLifetime(pictures) {}
    }

    private static func empty(_ count: Int, _ cause: (any Error)?) -> CalotypeError {
        CalotypeError(
            .emptyResult,
            count == 0 ? "the pool has no images to load" : "none of \(count) images could be loaded",
            stage: .request,
            cause: cause
        )
    }
}

/// The pictures of a pool and their preload: its rules, without locks or tasks.
struct PoolState<Picture: Sendable>: Sendable {
    /// One preload, shared by all requests during it.
    struct Fill: Sendable {
        let number: UInt64
        /// The first picture, or the error.
        let first = Latch<Result<Picture, any Error>>()
        var task: ScopedTask?
    }

    enum Decision: Sendable {
        case picture(Picture)
        case wait(Fill)
        /// No preload is in progress: start this one and wait for it.
        case start(Fill)
    }

    private(set) var pictures: [Picture] = []
    /// The preload in progress.
    private(set) var fill: Fill?
    private var lastFill: UInt64 = 0

    mutating func ask(_ random: inout any RandomNumberGenerator & Sendable) -> Decision {
        if let picture = pictures.randomElement(using: &random) { return .picture(picture) }
        if let fill { return .wait(fill) }
        lastFill += 1
        let fill = Fill(number: lastFill)
        self.fill = fill
        return .start(fill)
    }

    /// Stores the task of a preload.
    ///
    /// Returns `false` if the preload is no longer current and the task must be cancelled.
    mutating func attach(_ task: ScopedTask, to number: UInt64) -> Bool {
        guard fill?.number == number else { return false }
        fill?.task = task
        return true
    }

    /// Adds a picture, unless its preload is no longer current.
    mutating func add(_ picture: Picture, from number: UInt64) {
        if fill?.number == number { pictures.append(picture) }
    }

    /// Ends a complete preload.
    ///
    /// Its pictures stay.
    mutating func finish(_ number: UInt64) {
        if fill?.number == number { fill = nil }
    }

    /// Removes everything and returns it: the caller cancels the preload and releases the pictures.
    mutating func end() -> (fill: Fill?, pictures: [Picture]) {
        defer {
            fill = nil
            pictures = []
        }
        return (fill, pictures)
    }
}
