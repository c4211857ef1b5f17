import TaskFlow

/// The walls that are remembered: the last few, and none of those where that would be too many entries.
final class WallRegistry: Sendable {
    static let mostWalls = 16
    /// About 40 MiB of metadata.
    private static let mostEntries = 40_000

    private struct State {
        /// The oldest first.
        var walls: [Wall] = []
        var running = 0
    }

    private let state = Guarded(State())

    /// The wall called `id`.
    ///
    /// - Throws: 404 where it is not remembered.
    func wall(_ id: Substring?) throws(APIError) -> Wall {
        guard let id, let wall = state.withLock({ $0.walls.first { $0.id == id } }) else {
            throw APIError(
                404,
                "not_found",
                "there is no such wall any more; the server remembers the last 16"
            )
        }
        return wall
    }

    /// Remembers `wall`, and counts it as running until `body` returns.
    ///
    /// - Throws: 503 where too many are running; what `body` throws.
    func running(_ wall: Wall, _ body: () async throws -> Void) async throws {
        guard state.withLock({ Self.begin(wall, &$0) }) else { throw APIError.tooManyWalls }
        defer { state.withLock { $0.running -= 1 } }
        try await body()
    }

    /// Whether another wall may begin.
    ///
    /// - Throws: 503 where too many are running.
    func checkRoom() throws(APIError) {
        guard state.withLock({ $0.running < Self.mostWalls }) else { throw .tooManyWalls }
    }

    private static func begin(_ wall: Wall, _ state: inout State) -> Bool {
        guard state.running < mostWalls else { return false }
        state.running += 1
        state.walls.append(wall)
        while state.walls.count > mostWalls
            || state.walls.count > 1 && state.walls.reduce(0, { $0 + $1.total }) > mostEntries
        {
            state.walls.removeFirst()
        }
        return true
    }
}

extension APIError {
    fileprivate static let tooManyWalls = APIError(
        503,
        "too_many_walls",
        "\(WallRegistry.mostWalls) walls are being loaded; try again when one has ended"
    )
}
