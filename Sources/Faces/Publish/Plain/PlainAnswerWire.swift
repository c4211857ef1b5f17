/// What a server says of a post that it has taken; the name may be a text or a number.
struct PlainAnswerWire: Decodable {
    private enum Key: CodingKey {
        case id, url, error, errors
    }

    let id: String?
    let url: String?
    /// Whether it tells of a post, and not of what went wrong.
    let isPost: Bool

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let text = try? values.decode(String.self, forKey: .id)
        id = text ?? (try? values.decode(Int.self, forKey: .id)).map { "\($0)" }
        url = try? values.decode(String.self, forKey: .url)
        isPost = id != nil || url != nil || !values.contains(.error) && !values.contains(.errors)
    }
}
