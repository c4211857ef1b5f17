import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener

/// The routes of the API; finds the one that a request is for.
struct API: Sendable {
    let routes: [APIRoute]

    init(_ routes: [APIRoute]) {
        self.routes = routes
    }

    /// Answers a request whose path is below `/api`.
    ///
    /// - Parameters:
    ///   - request: The request; no other site's page sent it.
    ///   - isOpen: Whether it may have more than what everybody may.
    /// - Returns: The answer of a route, or why there is none.
    func response(to request: IncomingRequest, isOpen: Bool) async -> OutgoingResponse {
        let matches = matches(request)
        // What is read is read in the same way where only the head of the answer is wanted.
        let method = request.method == "HEAD" ? "GET" : request.method
        let match = matches.first { $0.0.method == method }
        guard isOpen || match?.0.isPublic == true else { return APIError.tokenNeeded.response }
        guard let (route, parameters) = match else { return Self.refusal(matches.map(\.0.method)) }
        do {
            try route.bodyType.check(request)
            return try await route.answer(APICall(request: request, parameters: parameters))
        } catch {
            return APIError(error).response
        }
    }

    /// The most bytes that the body of a request may have; `nil` where its route does not say.
    func bodyLimit(for request: IncomingRequest) -> ByteCount? {
        matches(request).first { $0.0.method == request.method }?.0.bodyLimit
    }

    private func matches(_ request: IncomingRequest) -> [(APIRoute, [String: Substring])] {
        let path = request.target.prefix { $0 != "?" && $0 != "#" }
            .split(separator: "/", omittingEmptySubsequences: false).dropFirst(2)
        return routes.compactMap { route in route.parameters(of: path).map { (route, $0) } }
    }

    private static func refusal(_ methods: [String]) -> OutgoingResponse {
        guard !methods.isEmpty else { return APIError.notFound.response }
        var response = APIError.methodNotAllowed.response
        let allowed = (methods.contains("GET") ? ["HEAD"] : []) + methods
        response.headers.append(.init(unchecked: "Allow", allowed.joined(separator: ", ")))
        return response
    }
}
