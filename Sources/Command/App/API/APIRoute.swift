import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials

/// An operation of the API.
struct APIRoute: Sendable {
    /// The HTTP method, such as `GET`.
    let method: String
    /// The path below `/api`, such as `/apps/{id}`.
    let pattern: String
    /// Whether the route may be called without the token.
    let isPublic: Bool
    /// The required type of the body.
    let bodyType: APIBodyType
    /// The maximum size of the body; `nil` for the listener's limit.
    let bodyLimit: ByteCount?
    /// Responds to a call; an error that it throws becomes an ``APIError``.
    let answer: @Sendable (APICall) async throws -> OutgoingResponse

    private let segments: [Substring]

    init(
        _ method: String,
        _ pattern: String,
        isPublic: Bool = false,
        body bodyType: APIBodyType = .json,
        atMost bodyLimit: ByteCount? = nil,
        _ answer: @escaping @Sendable (APICall) async throws -> OutgoingResponse
    ) {
        self.method = method
        self.pattern = pattern
        self.isPublic = isPublic
        self.bodyType = bodyType
        self.bodyLimit = bodyLimit
        self.answer = answer
        segments = pattern.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
    }

    /// Returns the values of the pattern's names in `path`, still percent-encoded.
    ///
    /// The result is `nil` if the path does not match.
    func parameters(of path: some Collection<Substring>) -> [String: Substring]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String: Substring] = [:]
        for (segment, given) in zip(segments, path) {
            if segment.hasPrefix("{"), segment.hasSuffix("}") {
                parameters[String(segment.dropFirst().dropLast())] = given
            } else if segment != given {
                return nil
            }
        }
        return parameters
    }
}

/// A request to the API with a route.
struct APICall: Sendable {
    let request: IncomingRequest
    /// The values in the path, by the names in the route's pattern.
    let parameters: [String: Substring]

    /// Returns the parameters of the query.
    func query() throws(APIError) -> QueryValues { try QueryValues(of: request.target) }

    /// Returns the number, 1 or more, in the path under `name`; otherwise throws 404.
    func number(_ name: String) throws(APIError) -> Int {
        guard let text = parameters[name], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), number > 0
        else { throw APIError(404, "not_found", "the \(name) in the path is not a number") }
        return number
    }

    /// Decodes the body as JSON; the default limit is one mebibyte.
    func json<Value: Decodable>(as type: Value.Type, atMost limit: Int = 1 << 20) async throws -> Value {
        var bytes: [UInt8] = []
        for try await piece in request.body {
            bytes += piece
            guard bytes.count <= limit else {
                throw APIError(413, "too_many_bytes", "the body is larger than \(limit >> 20) MiB")
            }
        }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw APIError(400, "invalid_document", "the body is not valid JSON for this request: \(error)")
        }
    }
}

/// The required type of a call's body.
enum APIBodyType: Hashable, Sendable {
    /// `application/json`, if there is a body; a form on another site's page cannot send that.
    case json
    /// Bytes of any type.
    case any

    /// Throws if the body has another type.
    func check(_ request: IncomingRequest) throws(APIError) {
        guard self == .json, request.method != "GET", request.method != "HEAD" else { return }
        let type = request.headers["Content-Type"] ?? ""
        let hasBody = request.headers["Content-Length"].map { $0 != "0" } ?? false
        guard hasBody || !type.isEmpty || request.headers["Transfer-Encoding"] != nil else { return }
        let essence = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard essence == "application/json" else {
            throw APIError(
                415,
                "unsupported_media_type",
                "the body must be JSON; send it as application/json"
            )
        }
    }
}
