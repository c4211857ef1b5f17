import CalotypeCatalog
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener

/// The routes for signing in, and for the app's features.
struct SessionRoutes: Sendable {
    private struct Session: Encodable {
        let needsToken: Bool
        let isOpen: Bool
        let catalog: String
        let canPublish: Bool
        let version: String
    }

    private struct Opening: Decodable {
        let token: String
    }

    let configuration: AppConfiguration
    let entrance: AppGuard

    var routes: [APIRoute] {
        [
            APIRoute("GET", "/session", isPublic: true) { call in
                .json(
                    Session(
                        needsToken: entrance.needsToken,
                        isOpen: try entrance.isOpen(to: call.request),
                        catalog: URLCredentials.removed(from: configuration.services.apps),
                        canPublish: !configuration.profiles.isEmpty,
                        version: configuration.version
                    )
                )
            },
            APIRoute("POST", "/session", isPublic: true) { call in
                let opening = try await call.json(as: Opening.self)
                guard try entrance.knows(opening.token) else { throw APIError.wrongToken }
                return OutgoingResponse(
                    204,
                    HTTPHeaders(
                        [.init("Cache-Control", "no-store")]
                            + (entrance.needsToken ? [entrance.cookie] : [])
                    )
                )
            },
        ]
    }
}

extension APIError {
    fileprivate static let wrongToken = APIError(
        401,
        "wrong_token",
        "wrong token; enter the value of --app-token or CALOTYPE_APP_TOKEN"
    )
}

/// The public description of the API.
struct DescriptionRoutes: Sendable {
    let pages: AppPages

    var routes: [APIRoute] {
        [
            APIRoute("GET", "/openapi.json", isPublic: true) { call in
                pages.response(to: call.request, at: "openapi.json")
            }
        ]
    }
}
