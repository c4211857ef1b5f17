import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials

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
        /// `running`, or how the wall ended.
        let state: String
        /// The time until a running wall ends because nobody watches it.
        let secondsLeft: Int?
        let images: WallImages
    }

    let walls: [Entry]
}

/// A request to retry entries of a wall, as the body of an HTTP request.
private struct RetryRequest: Decodable {
    /// The positions of the entries; all that failed or were not loaded if it is missing.
    var entries: Set<Int>?
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
            APIRoute("GET", "/walls/{id}") { call in
                let run = try registry.run(call.parameters["id"])
                run.viewers.look()
                return .json(Self.entry(run))
            },
            APIRoute("DELETE", "/walls/{id}") { call in
                try await registry.run(call.parameters["id"]).cancel()
                return OutgoingResponse(204)
            },
            APIRoute("GET", "/walls/{id}/events") { events(of: try registry.run($0.parameters["id"])) },
            APIRoute("POST", "/walls/{id}/retry") { try await retry($0) },
            APIRoute("GET", "/walls/{id}/pictures/{index}") { try picture($0) },
            APIRoute("GET", "/walls/{id}/report") { call in
                let run = try registry.run(call.parameters["id"])
                return WallReport(wall: run.wall, outcomes: run.outcomes).response
            },
            APIRoute("GET", "/walls/{id}/zip") { call in
                let run = try registry.run(call.parameters["id"])
                let moment = services.configuration.wallClock().secondsSince1970
                return try WallZip(wall: run.wall, outcomes: run.outcomes, moment: moment).response()
            },
        ]
    }

    private static func entry(_ run: WallRun) -> WallList.Entry {
        let figures = run.figures
        return WallList.Entry(
            id: run.wall.id,
            title: run.wall.contents.title,
            total: run.wall.total,
            ok: figures.done,
            failed: figures.failed,
            state: run.state,
            secondsLeft: run.timeLeft.map { Int(($0 / .seconds(1)).rounded(.up)) },
            images: WallImages(run.wall)
        )
    }

    /// Returns where to find an entry's picture in another size.
    private func picture(_ call: APICall) throws -> OutgoingResponse {
        let wall = try registry.run(call.parameters["id"]).wall
        let index = call.parameters["index"].flatMap { Int($0) }
        guard let item = index.flatMap({ wall.item($0) }) else {
            throw APIError(404, "not_found", "the wall has no image with this number")
        }
        let side = try call.query().side(else: 768, most: QueryValues.mostAlone)
        let src = try wall.path(to: item, side: side)
        return .json(WallPicture(url: URLCredentials.removed(from: item.url), src: src))
    }

    /// Starts a wall, and streams its events.
    private func begin(_ call: APICall) async throws -> OutgoingResponse {
        let order = try await call.json(as: WallRequest.self, atMost: WallRequest.mostBytes)
        let (side, output) = (try order.checkedSide(), try order.checkedOutput())
        let wall = Wall(
            id: UUID().uuidString.lowercased(),
            contents: try await order.contents(services.catalog),
            side: side,
            output: output,
            headers: Self.headers(of: call.request),
            services: services
        )
        return try await start(WallRun(wall))
    }

    /// Loads the entries of a wall that failed or were not loaded, and streams its events.
    ///
    /// - Throws: 409 if the wall is running; 422 if there is nothing to load; 503 if too many walls are running.
    private func retry(_ call: APICall) async throws -> OutgoingResponse {
        let run = try registry.run(call.parameters["id"])
        let order = try await call.json(as: RetryRequest.self)
        guard let again = run.repeated(order.entries) else {
            throw APIError(422, "nothing_to_retry", "none of these images failed or is missing")
        }
        return try await start(again)
    }

    private func start(_ run: WallRun) async throws -> OutgoingResponse {
        // The client may have disconnected meanwhile.
        try Task.checkCancellation()
        try await registry.start(run, in: services.scope)
        return events(of: run)
    }

    private func events(of run: WallRun) -> OutgoingResponse {
        let clock = services.configuration.clock
        return EventStream.response(clock: clock) { stream in
            try await WallEvents(run: run, clock: clock).send(to: stream)
        }
    }

    /// Returns the header fields of the page's picture requests.
    ///
    /// `Accept` is the same as in `request`, because it can determine the format.
    private static func headers(of request: IncomingRequest) -> HTTPHeaders {
        HTTPHeaders(request.headers.filter { $0.name.lowercased() == "accept" })
    }
}
