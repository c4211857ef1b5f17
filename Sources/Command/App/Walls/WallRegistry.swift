import TaskFlow

/// The most recent walls; fewer if they have too many entries.
final class WallRegistry: Sendable {
    static let mostWalls = 16
    /// Equals about 40 MiB of metadata.
    private static let mostEntries = 40_000

    /// The last run of each wall, oldest first.
    private let runs = Guarded<[WallRun]>([])

    /// The last run of each wall, newest first.
    var recent: [WallRun] { runs.withLock { $0.reversed() } }

    /// Returns the last run of the wall called `id`.
    ///
    /// - Throws: 404 if it is no longer stored.
    func run(_ id: Substring?) throws(APIError) -> WallRun {
        guard let id, let run = runs.withLock({ $0.first { $0.wall.id == id } }) else {
            throw APIError(
                404,
                "not_found",
                "this wall no longer exists; the server remembers the last \(Self.mostWalls)"
            )
        }
        return run
    }

    /// Starts a run in `scope`, in place of an earlier one of the same wall.
    ///
    /// If too many are in progress, it ends the one that nobody has watched for the longest time.
    ///
    /// - Throws: 409 if the wall is running; 503 if all running walls are watched, or if the server is shutting
    ///   down; `CancellationError`.
    func start(_ run: WallRun, in scope: TaskScope) async throws {
        try await makeRoom()
        try runs.withLock { try Self.add(run, &$0) }
        do {
            try scope.start(name: "wall") { await run.load() }
        } catch {
            runs.withLock { $0.removeAll { $0 === run } }
            throw APIError.serverEnds
        }
    }

    private func makeRoom() async throws {
        let running = recent.filter(\.isRunning)
        guard running.count >= Self.mostWalls else { return }
        let left = running.compactMap { run in run.timeLeft.map { (run, $0) } }.min { $0.1 < $1.1 }
        guard let (run, _) = left, run.viewers.abandon() else { return }
        _ = try await run.ended.wait()
    }

    private static func add(_ run: WallRun, _ runs: inout [WallRun]) throws(APIError) {
        guard runs.count(where: \.isRunning) < mostWalls else { throw .tooManyWalls }
        if let earlier = runs.firstIndex(where: { $0.wall.id == run.wall.id }) {
            guard !runs[earlier].isRunning else { throw .stillRunning }
            runs.remove(at: earlier)
        }
        runs.append(run)
        while runs.count > mostWalls
            || runs.count > 1 && runs.reduce(0, { $0 + $1.wall.total }) > mostEntries,
            let oldest = runs.firstIndex(where: { !$0.isRunning })
        {
            runs.remove(at: oldest)
        }
    }
}

extension APIError {
    fileprivate static let stillRunning = APIError(
        409,
        "still_running",
        "the wall is being loaded; wait for its end or cancel it"
    )

    fileprivate static let tooManyWalls = APIError(
        503,
        "too_many_walls",
        "\(WallRegistry.mostWalls) walls are being loaded; try again when one has finished"
    )
}
