internal import CalotypeCore
package import CalotypeHTTP
internal import FoundationEssentials

/// JSON on one line, with identical output for identical values.
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

    /// Returns a value as text; the value may contain only strings, Booleans and finite numbers.
    static func text(
        _ value: some Encodable,
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
    ) -> String {
        (try? bytes(value, keys: keys)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

extension HTTPRequest {
    /// Creates a request with `value` as its JSON body.
    package init(
        _ url: WebURL,
        method: HTTPMethod = .post,
        json value: some Encodable
    ) throws {
        self.init(url, method: method, body: HTTPBody(try JSONLine.bytes(value)))
        try addHeader("Content-Type", "application/json")
    }
}
