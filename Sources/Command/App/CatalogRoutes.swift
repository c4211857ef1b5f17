import CalotypeCatalog
import CalotypeCore
import CalotypeHTTPListener

/// The routes for searches, apps, albums and robots.
///
/// A client that disconnects cancels its query.
struct CatalogRoutes: Sendable {
    private struct Found: Encodable {
        let term: String
        let country: String
        let apps: [AppStoreDocument]
        let skipped: Int
        let cache: String
    }

    private struct Album: Encodable {
        struct Photo: Encodable {
            let id: Int
            let title: String
            let url: String
            let src: String
        }
        let id: Int
        let photos: [Photo]
        let skipped: Int
    }

    private struct Styles: Encodable {
        let kinds: [String]
        let backgrounds: [String]
    }

    let services: AppServices

    var routes: [APIRoute] {
        [
            APIRoute("GET", "/search") { try await search($0) },
            APIRoute("GET", "/apps/{id}") { try await app($0) },
            APIRoute("GET", "/albums/{id}") { try await album($0) },
            APIRoute("GET", "/robot") { try robot($0) },
            APIRoute("GET", "/robot/styles") { _ in
                .json(
                    Styles(
                        kinds: RobotStyle.Kind.allCases.map(\.rawValue),
                        backgrounds: RobotStyle.Background.allCases.map(\.rawValue)
                    )
                )
            },
        ]
    }

    private func search(_ call: APICall) async throws -> OutgoingResponse {
        let values = try call.query()
        guard let term = try values.text("term", atMost: 200), !term.allSatisfy(\.isWhitespace) else {
            throw APIError.invalid("the search is empty; enter a search term")
        }
        let limit = try values.number("limit", in: 1...200, else: 50)
        let side = try values.side(else: 96)
        let query = AppStoreQuery(term, country: try values.country(), limit: limit)
        let response = try await services.catalog.apps.response(to: query)
        return .json(
            Found(
                term: term,
                country: query.country,
                apps: try response.apps.map { try AppStoreDocument($0, side: side, services) },
                skipped: response.skipped.count,
                cache: response.cache.rawValue
            )
        )
    }

    private func app(_ call: APICall) async throws -> OutgoingResponse {
        let id = try call.number("id")
        let values = try call.query()
        let side = try values.side(else: 256)
        let shot = try values.side("shot", else: 512, most: QueryValues.mostAlone)
        let app = try await services.catalog.apps.app(id, country: try values.country())
        return .json(try AppStoreDetailDocument(app, side: side, shot: shot, services))
    }

    private func album(_ call: APICall) async throws -> OutgoingResponse {
        let id = try call.number("id")
        let side = try call.query().side(else: 512)
        let listing = try await services.catalog.album(id)
        let photos = try listing.entries.map { photo in
            Album.Photo(
                id: photo.id,
                title: photo.title,
                url: URLCredentials.removed(from: photo.url),
                src: try services.path(to: photo.url, .fit, side: side)
            )
        }
        return .json(Album(id: id, photos: photos, skipped: listing.skipped.count))
    }

    private func robot(_ call: APICall) throws -> OutgoingResponse {
        let values = try call.query()
        guard let text = try values.text("text", atMost: 500) else {
            throw APIError.invalid("enter a text to draw a robot")
        }
        let style = RobotStyle(
            kind: try values.choice("set", of: RobotStyle.Kind.self),
            background: try values.choice("background", of: RobotStyle.Background.self)
        )
        let robot = try services.catalog.robot(text, style)
        return .json(try PictureDocument(robot, .fit, side: try values.side(else: 384), services))
    }
}
