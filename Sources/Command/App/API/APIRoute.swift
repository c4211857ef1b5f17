import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials

/// One operation of the API.
struct APIRoute: Sendable {
    /// Such as `GET`.
    let method: String
    /// Such as `/apps/{id}`, below `/api`.
    let pattern: String
    /// Whether everybody may call it, also without the token.
    let isPublic: Bool
    /// What the body has to be.
    let bodyType: APIBodyType
    /// The most bytes that the body may have; as the listener's configuration says where `nil`.
    let bodyLimit: ByteCount?
    /// Answers a call; what it throws becomes an ``APIError``.
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

    /// The values in the place of the pattern's names, as they stand in the path; `nil` where the path is another.
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

/// A request to the API, whose path is that of a route.
struct APICall: Sendable {
    let request: IncomingRequest
    /// What stands in the path, by the names of the route's pattern.
    let parameters: [String: Substring]

    /// What the target's query says.
    func query() throws(APIError) -> QueryValues { try QueryValues(of: request.target) }

    /// The number, 1 or more, that stands in the path under `name`; nothing can be at another path.
    func number(_ name: String) throws(APIError) -> Int {
        guard let text = parameters[name], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), number > 0
        else { throw APIError(404, "not_found", "the \(name) in the path is no number") }
        return number
    }

    /// The body as JSON, at most a mebibyte of it unless another limit is given.
    func json<Value: Decodable>(as type: Value.Type, atMost limit: Int = 1 << 20) async throws -> Value {
        var bytes: [UInt8] = []
        for try await piece in request.body {
            bytes += piece
            guard bytes.count <= limit else {
                throw APIError(413, "too_many_bytes", "the body has more than \(limit >> 20) MiB")
            }
        }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw APIError(400, "invalid_document", "the body is not the JSON that is described: \(error)")
        }
    }
}

/// What the body of a call has to be.
enum APIBodyType: Hashable, Sendable {
    /// `application/json`, where there is a body: a form of another site's page cannot send that.
    case json
    /// Bytes of any type.
    case any

    /// Refuses a body of another type.
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
                "the body has to be JSON; send it as application/json"
            )
        }
    }
}
