import CalotypeHTTPListener
import FoundationEssentials

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
