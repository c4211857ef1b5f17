public import Calotype
public import CalotypeCatalog
public import CalotypeCore
import TaskFlow

/// Shows a wall of pictures on a terminal until someone leaves it with `q`.
///
/// Cells are slots: one that leaves the screen cancels its load, and one that comes back is there at once from memory.
/// When it returns, all that it had under way has been cancelled and has ended.
///
/// - Parameters:
///   - source: What is shown to begin with.
///   - session: The terminal.
///   - pipeline: Loads the pictures; its configuration says from where.
///   - catalog: Answers searches and albums.
///   - drawing: Draws the pictures; where its style is ``PictureStyle/none`` none is loaded.
///   - tally: Counts the pipeline's loads.
///   - options: How it looks, loads and searches.
/// - Throws: `CancellationError` when the task is cancelled; `terminal_lost` when the terminal has gone.
@MainActor
public func runWall(
    _ source: WallSource,
    on session: TerminalSession,
    pipeline: ImagePipeline,
    catalog: Catalog,
    drawing: PictureDrawing,
    tally: WallTally,
    options: WallOptions = WallOptions()
) async throws {
    try await withTaskScope { scope in
        let parts = WallParts(
            model: AppStoreSearchModel(scope: scope) { try await catalog.apps.answer(to: $0) },
            albums: AlbumLoad(scope: scope) { try await catalog.album($0).entries },
            supply: .pictures(pipeline, drawing),
            tally: tally
        )
        let view = WallView(
            source,
            options: options,
            parts: parts,
            size: session.size,
            show: { session.show($0) },
            redraw: { session.redraw() }
        )
        defer { view.leave() }
        try await view.run(session.events, tally)
    }
}

extension WallView {
    /// At most about thirty frames a second are drawn for what is no key: each costs some of the time in which a key is answered.
    private static let pause = Duration.milliseconds(33)

    /// Takes events and draws until someone leaves.
    func run(
        _ events: TerminalEvents,
        _ tally: WallTally,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws {
        let change = LatestValue<Void>()
        let changes = change.makeReader()
        onChange = { change.send(()) }
        tally.onChange { change.send(()) }
        defer { tally.onChange(nil) }
        begin()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.take(events) }
            group.addTask { try await self.draw(changes, clock) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func take(_ events: TerminalEvents) async throws {
        for try await event in events where !take(event) { return }
    }

    private func draw(_ changes: LatestValue<Void>.Reader, _ clock: any Clock<Duration>) async throws {
        for await _ in changes {
            draw()
            try await clock.sleep(for: Self.pause)
        }
        // Only a cancelled task comes here.
        try Task.checkCancellation()
    }
}

/// What a wall shows to begin with.
public enum WallSource: Hashable, Sendable {
    /// Pictures that are known, under a title.
    case pictures(title: String, [CatalogPicture])
    /// The photos of an album.
    case album(Int)
    /// The apps that an App Store finds.
    case search(AppStoreQuery)
}

/// How a wall looks, loads and searches.
public struct WallOptions: Sendable {
    /// The size that cells are wanted in.
    public var cell = WallCellSize.standard
    /// What may be taken from the caches, for every picture.
    public var cachePolicy = CachePolicy.use
    /// What is searched for beside the words that someone types: country, language and limit.
    public var query = AppStoreQuery("")

    /// Creates the default options.
    public init() {}
}

/// How large a wall's cells are wanted: the picture's columns and lines, to which the caption comes.
///
/// The wall takes the number of cells that comes nearest, and divides the screen among them evenly.
public struct WallCellSize: Hashable, Sendable {
    /// The picture's columns, 6 to 500.
    public let columns: Int
    /// The picture's lines, 2 to 250.
    public let rows: Int

    /// 16 columns by 7 lines, nearly a square in most fonts.
    public static let standard = WallCellSize(columns: 16, rows: 7)

    /// Creates a size; what is out of range becomes the nearest in range.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, Self.smallest.columns), 500)
        self.rows = min(max(rows, Self.smallest.rows), 250)
    }

    static let smallest = (columns: 6, rows: 2)
}

/// What a wall works with.
struct WallParts {
    let model: AppStoreSearchModel
    let albums: AlbumLoad
    /// `nil` where no pictures are shown.
    let supply: PictureSupply?
    let tally: WallTally
}
