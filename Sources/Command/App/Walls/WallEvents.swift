import CalotypeBulk
import CalotypeCore
import TaskFlow

/// Streams the outcomes of a wall's run, those that are there and those to come.
struct WallEvents: Sendable {
    /// The maximum number of entries in an event, and approximate maximum size of their URLs and captions.
    static let mostEntries = 200
    static let mostBytes = 64 << 10
    /// The maximum time for which outcomes are collected before an event is sent.
    private static let gathering = Duration.milliseconds(50)

    private struct Beginning: Encodable {
        let id: String
        let total: Int
        let title: String
        /// The number of outcomes when the stream began.
        let known: Int
        let images: WallImages
    }

    private struct Progress: Encodable {
        let entries: [WallItem]
        let done: Int
        let failed: Int
        let loading: Int
        let total: Int
    }

    private struct End: Encodable {
        let ending: WallRun.Ending
        let ok: Int
        let failed: Int
    }

    let run: WallRun
    let clock: any Clock<Duration>

    /// Runs until the run has ended; sends the first outcomes immediately, and others within 50 ms.
    func send(to events: EventStream) async throws {
        try await run.viewers.watching {
            let wall = run.wall
            let known = run.outcomes.count
            let beginning = Beginning(
                id: wall.id,
                total: wall.total,
                title: wall.contents.title,
                known: known,
                images: WallImages(wall)
            )
            try await events.send("wall", beginning)
            try await tell(events)
            let (ending, figures) = (try await run.ended.wait(), run.figures)
            try await events.send("end", End(ending: ending, ok: figures.done, failed: figures.failed))
        }
    }

    /// Sends all outcomes until the run has ended.
    private func tell(_ events: EventStream) async throws {
        // The outcomes stay in the run, which is bounded; readers only learn that there are new ones.
        let changes = run.change.makeReader()
        var told = try await tell(after: 0, events)
        for await _ in changes {
            told = try await tell(after: told, events)
            if run.isRunning { try await clock.sleep(for: Self.gathering) }
        }
        try Task.checkCancellation()
        _ = try await tell(after: told, events)
    }

    /// Sends all outcomes after the first `told`, and returns the new number of sent outcomes.
    private func tell(after told: Int, _ events: EventStream) async throws -> Int {
        var told = told
        while case let outcomes = run.outcomes(after: told), !outcomes.isEmpty {
            let figures = run.figures
            let progress = Progress(
                entries: try outcomes.map { try WallItem($0, run.wall) },
                done: figures.done,
                failed: figures.failed,
                loading: figures.loading,
                total: run.wall.total
            )
            try await events.send("entries", progress)
            told += outcomes.count
        }
        return told
    }
}

/// The outcome of a wall's picture in the API.
struct WallItem: Encodable, Sendable {
    let index: Int
    let url: String
    let caption: String?
    let status: String
    /// The path of the picture on this server.
    var src: String?
    var width: Int?
    var height: Int?
    var bytes: Int?
    var milliseconds: Double?
    var cache: String?
    /// The error code if there is no picture.
    var code: String?
    var message: String?

    init(_ outcome: FetchOutcome, _ wall: Wall) throws {
        index = outcome.index
        url = outcome.url
        caption = wall.item(outcome.index)?.caption
        status = outcome.status.rawValue
        code = outcome.code?.rawValue
        message = outcome.message
        guard outcome.status == .ok else { return }
        src = try wall.path(toPicture: index)
        width = outcome.size?.width
        height = outcome.size?.height
        bytes = outcome.bytes?.bytes
        milliseconds = outcome.timings.map { ($0.total / .milliseconds(0.1)).rounded() / 10 }
        cache = outcome.cache?.rawValue
    }
}
