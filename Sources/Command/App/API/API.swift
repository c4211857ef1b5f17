import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials

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
        response.headers.append(.init("Allow", allowed.joined(separator: ", ")))
        return response
    }
}

extension OutgoingResponse {
    /// An answer with a value as JSON, which nobody keeps.
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

/// A property that is `null` in JSON where it has no value, and not left out.
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
