import Calotype
import CalotypeBulk
import CalotypeCore
import TaskFlow

/// Loads a wall and streams its progress.
struct WallEvents: Sendable {
    /// The maximum number of entries in an event, and approximate maximum size of their URLs.
    static let mostEntries = 200
    static let mostBytes = 64 << 10
    /// The maximum time for which outcomes are collected before an event is sent.
    private static let gathering = Duration.milliseconds(50)

    private struct Beginning: Encodable {
        let id: String
        let total: Int
        let title: String
    }

    private struct Progress: Encodable {
        let entries: [WallItem]
        let done: Int
        let failed: Int
        let loading: Int
        let total: Int
    }

    private struct Ending: Encodable {
        let ending = "finished"
        let ok: Int
        let failed: Int
    }

    let wall: Wall
    let pipeline: ImagePipeline
    let clock: any Clock<Duration>

    /// Runs until the wall is complete; sends the first outcomes immediately, and others within 50 ms.
    func send(to events: EventStream) async throws {
        try await events.send("wall", Beginning(id: wall.id, total: wall.total, title: wall.contents.title))
        // The outcomes stay in the wall, which is bounded; readers only learn that there are new ones.
        let change = LatestValue<Void>()
        let changes = change.makeReader()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(name: "wall loads") {
                await wall.load(pipeline) { change.send(()) }
                change.finish()
            }
            group.addTask(name: "wall events") { try await tell(changes, events) }
            try await group.waitForAll()
        }
        let figures = wall.figures
        try await events.send("end", Ending(ok: figures.done, failed: figures.failed))
    }

    private func tell(_ changes: LatestValue<Void>.Reader, _ events: EventStream) async throws {
        var told = 0
        for await _ in changes {
            told = try await tell(after: told, events)
            try await clock.sleep(for: Self.gathering)
        }
        try Task.checkCancellation()
        _ = try await tell(after: told, events)
    }

    /// Sends all outcomes after the first `told`, and returns the new number of sent outcomes.
    private func tell(after told: Int, _ events: EventStream) async throws -> Int {
        var told = told
        while case let outcomes = wall.outcomes(after: told), !outcomes.isEmpty {
            let figures = wall.figures
            let progress = Progress(
                entries: try outcomes.map { try WallItem($0, wall) },
                done: figures.done,
                failed: figures.failed,
                loading: figures.loading,
                total: wall.total
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
