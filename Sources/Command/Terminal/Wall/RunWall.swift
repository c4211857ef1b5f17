public import Calotype
public import CalotypeCatalog
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
            model: AppSearchModel(scope: scope) { try await catalog.apps.answer(to: $0) },
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
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        onChange = { change.yield() }
        tally.onChange { change.yield() }
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

    private func draw(_ changes: AsyncStream<Void>, _ clock: any Clock<Duration>) async throws {
        for await _ in changes {
            draw()
            try await clock.sleep(for: Self.pause)
        }
        // Only a cancelled task comes here.
        try Task.checkCancellation()
    }
}
