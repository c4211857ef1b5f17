import CalotypeHTTP
import HTTPListener

/// The routes of the API; finds the one that a request is for.
struct API: Sendable {
    let routes: [APIRoute]

    init(_ routes: [APIRoute]) {
        self.routes = routes
    }

    func response(to request: IncomingRequest) async -> OutgoingResponse {
        let path = request.target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst(2)
        let matches = routes.compactMap { route in route.parameters(of: path).map { (route, $0) } }
        guard !matches.isEmpty else { return APIError.notFound.response }
        guard let (route, parameters) = matches.first(where: { $0.0.method == request.method }) else {
            return APIError.methodNotAllowed.response
        }
        do {
            return try await route.answer(APICall(request: request, parameters: parameters))
        } catch {
            return APIError(error).response
        }
    }
}
