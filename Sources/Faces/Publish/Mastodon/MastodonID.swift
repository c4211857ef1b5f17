/// The server's name for something: a text, which some servers write as a number.
struct MastodonID: Hashable, Sendable, Codable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            text = "\(number)"
        } else {
            text = try container.decode(String.self)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// An account, as far as it matters here.
struct MastodonAccount: Decodable {
    var id: MastodonID
}
