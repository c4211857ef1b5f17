import CalotypeCore
import CalotypeHTTPListener

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
