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
