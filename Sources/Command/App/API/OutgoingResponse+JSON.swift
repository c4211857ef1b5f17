import CalotypeHTTP
import CalotypeHTTPListener
import FoundationEssentials

extension OutgoingResponse {
    /// An answer with a value as JSON, which nobody keeps.
    static func json(_ value: some Encodable) -> OutgoingResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let headers = HTTPHeaders([
            .init(unchecked: "Content-Type", "application/json"),
            .init(unchecked: "Cache-Control", "no-store"),
            .init(unchecked: "X-Content-Type-Options", "nosniff"),
        ])
        do {
            return OutgoingResponse(200, headers, .bytes(Array(try encoder.encode(value))))
        } catch {
            preconditionFailure("a value of the API cannot be written as JSON: \(error)")
        }
    }
}
