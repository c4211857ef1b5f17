internal import CalotypeCore
package import CalotypeHTTP
internal import FoundationEssentials

/// JSON on one line, the same each time for the same value.
enum JSONLine {
    static func bytes(
        _ value: some Encodable,
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = keys
        return Array(try encoder.encode(value))
    }

    /// The text of a value of texts, truths and finite numbers: there is nothing that cannot be encoded.
    static func text(
        _ value: some Encodable,
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) -> String {
        (try? bytes(value, keys: keys)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

extension HTTPRequest {
    /// A request that carries `value` as JSON.
    package init(
        _ url: WebURL,
        method: HTTPMethod = .post,
        json value: some Encodable
    ) throws {
        self.init(url, method: method, body: HTTPBody(try JSONLine.bytes(value)))
        try addHeader("Content-Type", "application/json")
    }
}
