import FoundationEssentials

/// What a client says about an upload: keys, each with a value in Base64 or none.
enum TusMetadata {
    /// The values by their keys; `nil` where the text makes no sense.
    static func parsed(_ text: String) -> [String: String]? {
        var values: [String: String] = [:]
        for pair in text.split(separator: ",") {
            let words = pair.split(separator: " ")
            guard let key = words.first, words.count <= 2, values[String(key)] == nil else { return nil }
            guard let data = Data(base64Encoded: words.count == 2 ? String(words[1]) : "") else { return nil }
            values[String(key)] = String(decoding: data, as: UTF8.self)
        }
        return values
    }
}
