import CalotypeHTTPListener
import CalotypeServer

/// Pictures whose paths nobody may see, since a password is in them.
struct PictureRoutes: Sendable {
    let services: AppServices

    var routes: [APIRoute] {
        [APIRoute("GET", "/pictures/{name}") { try await picture($0) }]
    }

    private func picture(_ call: APICall) async throws -> OutgoingResponse {
        guard let path = call.parameters["name"].flatMap({ services.hiddenPaths.path(named: $0) }) else {
            throw APIError(404, "not_found", "there is no such picture any more")
        }
        let request = IncomingRequest(
            method: call.request.method,
            target: path,
            headers: call.request.headers,
            client: call.request.client,
            arrival: call.request.arrival,
            takesChunks: call.request.takesChunks,
            body: .empty
        )
        return await services.thumbnails.response(to: request)
    }
}
