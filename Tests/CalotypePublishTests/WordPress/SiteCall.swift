import CalotypeHTTP
import FoundationEssentials

@testable import CalotypeCore

/// A request as a WordPress site reads it.
struct SiteCall: Sendable {
    let method: String
    /// The path below the REST root, without its slashes at both ends.
    let path: String
    let query: [String: String]
    let headers: HTTPHeaders
    let body: [UInt8]
    /// Whether the path is in the query.
    let isPlain: Bool

    init(_ request: HTTPRequest, _ body: [UInt8]) {
        let parts = request.url.text.split(separator: "?", maxSplits: 1)
        var query: [String: String] = [:]
        for pair in parts.dropFirst().joined().split(separator: "&") {
            let field = pair.split(separator: "=", maxSplits: 1).map(Self.decoded)
            query[field[0]] = field.count > 1 ? field[1] : ""
        }
        let path = query["rest_route"] ?? parts[0].components(separatedBy: "/wp-json").dropFirst().first
        method = request.method.name
        self.path = path.map { $0.split(separator: "/").joined(separator: "/") } ?? "(page)"
        isPlain = query["rest_route"] != nil
        self.query = query
        headers = request.headers
        self.body = body
    }

    /// Method and path, with a star for each number.
    var name: String {
        let words = path.split(separator: "/").map { Int($0) == nil ? String($0) : "*" }
        return "\(method) \(words.joined(separator: "/"))"
    }

    /// The number in the path.
    var id: Int? { path.split(separator: "/").lazy.compactMap { Int($0) }.first }

    /// The slugs that are looked for.
    var slugs: [String] { (query["slug"] ?? "").split(separator: ",").map(String.init) }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEscapes.decoded(text.utf8) ?? [], as: UTF8.self)
    }

    func json<Value: Decodable>(_ type: Value.Type) -> Value? {
        try? JSONDecoder().decode(type, from: Data(body))
    }
}
