public import CalotypeCore
import TaskFlow

/// A number of pictures, loaded once, of which anyone gets a random one.
///
/// The first who asks starts the preload. It may be asked while it fills: it gives one of those already loaded, or waits
/// for the first to arrive; all callers share one preload and one wait. A picture that fails is left out. When none could
/// be loaded, those who wait get `empty_result`, and the next who asks starts the preload again.
///
/// The preload belongs to the pool, not to the caller who started it: a cancelled caller leaves alone. ``end()``, letting
/// go of the pool and the end of the pipeline cancel it.
///
/// ```swift
/// let pool = ImagePool(pipeline.renditionLoader, of: requests)
/// let picture = try await pool.randomPicture()
/// ```
public final class ImagePool<Picture: Sendable>: Sendable {
    private let stock: PoolStock<Picture>

    /// Creates a pool that has loaded nothing yet.
    ///
    /// - Parameters:
    ///   - loader: Loads the pictures.
    ///   - requests: What to load.
    ///   - limit: How many load at a time, 8 unless given, at least one.
    ///   - random: Chooses among the pictures.
    public convenience init(
        _ loader: ImageLoader<Picture>,
        of requests: [ImageRequest],
        limit: Int = 8,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.init(loader, limit: limit, random: random) { requests }
    }

    /// Creates a pool that asks at the start of each preload what to load.
    ///
    /// - Parameters:
    ///   - loader: Loads the pictures.
    ///   - limit: How many load at a time, 8 unless given, at least one.
    ///   - random: Chooses among the pictures.
    ///   - requests: Finds out what to load, for example from an album's list; what it throws is thrown to those who wait.
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

    /// The number of pictures that are loaded.
    public var count: Int { stock.count }

    /// Whether a preload is under way.
    public var isFilling: Bool { stock.isFilling }

    /// Starts the preload, unless it is under way or done.
    public func preload() {
        _ = stock.ask()
    }

    /// Gives a random one of the pictures that are loaded, or waits for the first.
    ///
    /// - Throws: `CalotypeError` with `empty_result` when none could be loaded, and `pipeline_closed` when the pipeline has
    ///   ended; what the finder of requests threw; `CancellationError` when the caller is cancelled or the pool is ended.
    public func randomPicture() async throws -> Picture {
        switch stock.ask() {
        case .picture(let picture): picture
        case .wait(let fill), .start(let fill): try await fill.first.wait().get()
        }
    }

    /// Cancels the preload and forgets all pictures; the next who asks starts anew.
    public func end() {
        stock.end()
    }
}

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

/// What a pool has and who fills it: its rules, without locks or tasks.
struct PoolState<Picture: Sendable>: Sendable {
    /// One preload, shared by all who ask meanwhile.
    struct Fill: Sendable {
        let number: UInt64
        /// The first picture, or why there is none.
        let first = Latch<Result<Picture, any Error>>()
        var task: ScopedTask?
    }

    enum Answer: Sendable {
        case picture(Picture)
        case wait(Fill)
        /// Nothing is under way: start this and wait for it.
        case start(Fill)
    }

    private(set) var pictures: [Picture] = []
    /// The preload under way.
    private(set) var fill: Fill?
    private var lastFill: UInt64 = 0

    mutating func ask(_ random: inout any RandomNumberGenerator & Sendable) -> Answer {
        if let picture = pictures.randomElement(using: &random) { return .picture(picture) }
        if let fill { return .wait(fill) }
        lastFill += 1
        let fill = Fill(number: lastFill)
        self.fill = fill
        return .start(fill)
    }

    /// Keeps the task of a preload; false when the preload does not count any more, so that the task is to be cancelled.
    mutating func attach(_ task: ScopedTask, to number: UInt64) -> Bool {
        guard fill?.number == number else { return false }
        fill?.task = task
        return true
    }

    /// Keeps a picture, unless its preload does not count any more.
    mutating func add(_ picture: Picture, from number: UInt64) {
        if fill?.number == number { pictures.append(picture) }
    }

    /// Ends a preload that went to its end; what it loaded stays.
    mutating func finish(_ number: UInt64) {
        if fill?.number == number { fill = nil }
    }

    /// Forgets everything and gives it back: the preload is to be cancelled, the rest to be let go.
    mutating func end() -> (fill: Fill?, pictures: [Picture]) {
        defer {
            fill = nil
            pictures = []
        }
        return (fill, pictures)
    }
}
