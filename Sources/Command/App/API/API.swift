import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials

/// The routes of the API.
struct API: Sendable {
    let routes: [APIRoute]

    init(_ routes: [APIRoute]) {
        self.routes = routes
    }

    /// Responds to a request for a path below `/api`.
    ///
    /// - Parameters:
    ///   - request: The request; it does not come from a page of another site.
    ///   - isOpen: Whether the client may use routes that are not public.
    /// - Returns: The response of the route, or an error.
    func response(to request: IncomingRequest, isOpen: Bool) async -> OutgoingResponse {
        let matches = matches(request)
        // HEAD uses the same route as GET.
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

    /// Returns the maximum body size of a request; `nil` if its route does not set one.
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
        response.headers.append(.init("Allow", allowed.joined(separator: ", ")))
        return response
    }
}

extension OutgoingResponse {
    /// Returns a response with a value as JSON, which must not be cached.
    static func json(_ value: some Encodable) -> OutgoingResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let headers = HTTPHeaders([
            .init("Content-Type", "application/json"),
            .init("Cache-Control", "no-store"),
            .init("X-Content-Type-Options", "nosniff"),
        ])
        do {
            return OutgoingResponse(200, headers, .bytes(Array(try encoder.encode(value))))
        } catch {
            preconditionFailure("a value of the API cannot be written as JSON: \(error)")
        }
    }
}

/// A property that is encoded as `null` in JSON if it has no value, instead of being left out.
@propertyWrapper
struct Nullable<Value: Encodable & Sendable>: Encodable, Sendable {
    var wrappedValue: Value?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}
