/// What a server says of a post that it has taken; the name may be a text or a number.
struct PlainAnswerWire: Decodable {
    private enum Key: CodingKey {
        case id, url
    }

    let id: String?
    let url: String?

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let text = try? values.decode(String.self, forKey: .id)
        id = text ?? (try? values.decode(Int.self, forKey: .id)).map { "\($0)" }
        url = try? values.decode(String.self, forKey: .url)
    }
}
