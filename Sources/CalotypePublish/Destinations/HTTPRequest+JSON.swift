package import CalotypeCore
package import CalotypeHTTP
internal import FoundationEssentials

extension HTTPRequest {
    /// A request that carries `value` as JSON.
    package init(
        _ url: WebURL,
        method: HTTPMethod = .post,
        json value: some Encodable
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(url, method: method, body: HTTPBody(Array(try encoder.encode(value))))
        try addHeader("Content-Type", "application/json")
    }

    /// Adds a bearer token.
    package mutating func authorize(bearer token: Secret) throws(CalotypeError) {
        try addHeader("Authorization", "Bearer \(token.text)")
    }
}
