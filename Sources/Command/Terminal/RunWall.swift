public import Calotype
public import CalotypeCatalog
public import CalotypeCore
import TaskFlow

/// Shows a wall of pictures on a terminal until the user leaves it with `q`.
///
/// Cells are slots: a cell that leaves the screen cancels its load, and a cell that returns appears
/// immediately from memory. When this returns, all its work has been cancelled and has ended.
///
/// - Parameters:
///   - source: The initial content.
///   - session: The terminal.
///   - pipeline: Loads the pictures; its configuration determines the allowed addresses.
///   - catalog: Answers searches and loads albums.
///   - drawing: Draws the pictures; with the style ``PictureStyle/none`` none are loaded.
///   - tally: Counts the pipeline's loads.
///   - options: The options for layout, loading and searching.
/// - Throws: `CancellationError` if the task is cancelled; `terminal_lost` if the terminal is closed.
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
            model: AppStoreSearchModel(scope: scope) { try await catalog.apps.response(to: $0) },
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
    /// At most about 30 frames a second are drawn without a key press, because each frame delays keys.
    private static let pause = Duration.milliseconds(33)

    /// Handles events and draws until the user leaves.
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
        // Only a cancelled task gets here.
        try Task.checkCancellation()
    }
}

/// The initial content of a wall.
public enum WallSource: Hashable, Sendable {
    /// Known pictures, under a title.
    case pictures(title: String, [CatalogPicture])
    /// The photos of an album.
    case album(Int)
    /// The results of an App Store search.
    case search(AppStoreQuery)
}

/// The options of a wall: layout, loading and searching.
public struct WallOptions: Sendable {
    /// The preferred size of a cell.
    public var cell = WallCellSize.standard
    /// The cache policy of every picture.
    public var cachePolicy = CachePolicy.use
    /// The parts of a search that the user does not type: country, language and limit.
    public var query = AppStoreQuery("")

    /// Creates the default options.
    public init() {}
}

/// The preferred size of a wall's cells: the picture's columns and lines, without the caption.
///
/// The wall uses the nearest number of cells, and divides the screen evenly among them.
public struct WallCellSize: Hashable, Sendable {
    /// The picture's columns, 6 to 500.
    public let columns: Int
    /// The picture's lines, 2 to 250.
    public let rows: Int

    /// 16 columns by 7 lines, almost square in most fonts.
    public static let standard = WallCellSize(columns: 16, rows: 7)

    /// Creates a size; values out of range become the nearest ones in range.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, Self.smallest.columns), 500)
        self.rows = min(max(rows, Self.smallest.rows), 250)
    }

    static let smallest = (columns: 6, rows: 2)
}

/// The parts of a wall.
struct WallParts {
    let model: AppStoreSearchModel
    let albums: AlbumLoad
    /// `nil` if no pictures are shown.
    let supply: PictureSupply?
    let tally: WallTally
}
