import Calotype
import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials
import TaskFlow

/// The source of a wall's picture, and its path on this server.
private struct WallPicture: Encodable {
    let url: String
    let src: String
}

/// The recent walls in the API.
private struct WallList: Encodable {
    struct Entry: Encodable {
        let id: String
        let title: String
        let total: Int
        let ok: Int
        let failed: Int
        /// `running`, `finished`, or `cancelled` if it ended before all of its images were loaded.
        let state: String
    }

    let walls: [Entry]
}

/// The routes for walls, which stream the pictures of lists, albums and searches.
struct WallRoutes: Sendable {
    let services: AppServices
    private let registry = WallRegistry()

    init(services: AppServices) {
        self.services = services
    }

    var routes: [APIRoute] {
        [
            APIRoute("POST", "/walls") { try await begin($0) },
            APIRoute("GET", "/walls") { _ in .json(WallList(walls: registry.recent.map(Self.entry))) },
            APIRoute("GET", "/walls/{id}/pictures/{index}") { try picture($0) },
            APIRoute("GET", "/walls/{id}/report") { call in
                WallReport(outcomes: try registry.wall(call.parameters["id"]).outcomes).response
            },
            APIRoute("GET", "/walls/{id}/zip") { call in
                let wall = try registry.wall(call.parameters["id"])
                let moment = services.configuration.wallClock().secondsSince1970
                return try WallZip(wall: wall, pipeline: services.pipeline, moment: moment).response()
            },
        ]
    }

    private static func entry(_ wall: Wall, isRunning: Bool) -> WallList.Entry {
        let figures = wall.figures
        let isComplete = figures.done + figures.failed == wall.total
        return WallList.Entry(
            id: wall.id,
            title: wall.contents.title,
            total: wall.total,
            ok: figures.done,
            failed: figures.failed,
            state: isRunning ? "running" : isComplete ? "finished" : "cancelled"
        )
    }

    /// Returns where to find an entry's picture in another size.
    private func picture(_ call: APICall) throws -> OutgoingResponse {
        let wall = try registry.wall(call.parameters["id"])
        let index = call.parameters["index"].flatMap { Int($0) }
        guard let item = index.flatMap({ wall.item($0) }) else {
            throw APIError(404, "not_found", "the wall has no image with this number")
        }
        let side = try call.query().side(else: 768)
        let src = try services.path(to: item.url, wall.contents.fit, side: side)
        return .json(WallPicture(url: URLCredentials.removed(from: item.url), src: src))
    }

    /// Starts a wall, which lives as long as the request; the response's body loads it.
    private func begin(_ call: APICall) async throws -> OutgoingResponse {
        try registry.checkRoom()
        let order = try await call.json(as: WallRequest.self, atMost: WallRequest.mostBytes)
        let side = try order.checkedSide()
        let wall = Wall(
            id: UUID().uuidString.lowercased(),
            try await order.contents(services.catalog),
            side: side,
            headers: Self.headers(of: call.request),
            services
        )
        let clock = services.configuration.clock
        let events = WallEvents(wall: wall, pipeline: services.pipeline, clock: clock)
        return EventStream.response(clock: clock) { [registry] stream in
            try await registry.running(wall) { try await events.send(to: stream) }
        }
    }

    /// Returns the header fields of the page's picture requests.
    ///
    /// `Accept` is the same as in `request`, because it can determine the format.
    private static func headers(of request: IncomingRequest) -> HTTPHeaders {
        HTTPHeaders(request.headers.filter { $0.name.lowercased() == "accept" })
    }
}

/// The most recent walls; fewer if they have too many entries.
final class WallRegistry: Sendable {
    static let mostWalls = 16
    /// Equals about 40 MiB of metadata.
    private static let mostEntries = 40_000

    private struct State {
        /// The walls, oldest first.
        var walls: [Wall] = []
        /// The names of those that are being loaded.
        var running: Set<String> = []
    }

    private let state = Guarded(State())

    /// The walls, newest first, and whether each is being loaded.
    var recent: [(wall: Wall, isRunning: Bool)] {
        state.withLock { state in state.walls.reversed().map { ($0, state.running.contains($0.id)) } }
    }

    /// Returns the wall called `id`.
    ///
    /// - Throws: 404 if it is no longer stored.
    func wall(_ id: Substring?) throws(APIError) -> Wall {
        guard let id, let wall = state.withLock({ $0.walls.first { $0.id == id } }) else {
            throw APIError(
                404,
                "not_found",
                "this wall no longer exists; the server remembers the last 16"
            )
        }
        return wall
    }

    /// Stores `wall`, and counts it as running until `body` returns.
    ///
    /// - Throws: 503 if too many walls are running; errors of `body`.
    func running(_ wall: Wall, _ body: () async throws -> Void) async throws {
        guard state.withLock({ Self.begin(wall, &$0) }) else { throw APIError.tooManyWalls }
        defer { state.withLock { _ = $0.running.remove(wall.id) } }
        try await body()
    }

    /// Checks whether another wall may start.
    ///
    /// - Throws: 503 if too many walls are running.
    func checkRoom() throws(APIError) {
        guard state.withLock({ $0.running.count < Self.mostWalls }) else { throw .tooManyWalls }
    }

    private static func begin(_ wall: Wall, _ state: inout State) -> Bool {
        guard state.running.count < mostWalls else { return false }
        state.running.insert(wall.id)
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
        "\(WallRegistry.mostWalls) walls are being loaded; try again when one has finished"
    )
}
