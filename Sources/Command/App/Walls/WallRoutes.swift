import Calotype
import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials

/// Where a picture of a wall comes from, and its path on this server.
private struct WallPicture: Encodable {
    let url: String
    let src: String
}

/// Walls: lists, albums and searches as streams of pictures.
struct WallRoutes: Sendable {
    let services: AppServices
    private let registry = WallRegistry()

    init(services: AppServices) {
        self.services = services
    }

    var routes: [APIRoute] {
        [
            APIRoute("POST", "/walls") { try await begin($0) },
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

    /// Where an entry's picture is in another size.
    private func picture(_ call: APICall) throws -> OutgoingResponse {
        let wall = try registry.wall(call.parameters["id"])
        let index = call.parameters["index"].flatMap { Int($0) }
        guard let item = index.flatMap({ wall.item($0) }) else {
            throw APIError(404, "not_found", "the wall has no picture of this number")
        }
        let side = try call.query().side(else: 768)
        let src = try services.path(to: item.url, wall.contents.fit, side: side)
        return .json(WallPicture(url: URLCredentials.removed(from: item.url), src: src))
    }

    /// Begins a wall, which lives as long as the request; the answer's body loads it.
    private func begin(_ call: APICall) async throws -> OutgoingResponse {
        try registry.checkRoom()
        let order = try await call.json(as: WallOrder.self, atMost: WallOrder.mostBytes)
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

    /// What the page will ask for the pictures with: the same `Accept` as for the wall, since formats may follow from it.
    private static func headers(of request: IncomingRequest) -> HTTPHeaders {
        HTTPHeaders(request.headers.filter { $0.name.lowercased() == "accept" })
    }
}
