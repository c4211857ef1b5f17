internal import CalotypeCore
internal import CalotypeHTTP
internal import FoundationEssentials

/// A post as JSON.
struct PlainPostWire: Encodable {
    struct Medium: Encodable {
        let id: String
        let url: String?
        let name: String
        let type: String
        let size: Int
        let sha256: String
        let alt: String?
        let focus: [Double]?
    }

    let id: String
    let text: String
    let visibility: String?
    let language: String?
    let schedule: String?
    let media: [Medium]

    init(_ draft: PostDraft, key: String) {
        id = key
        text = draft.text
        visibility = draft.visibility?.rawValue
        language = draft.language
        schedule = draft.schedule?.internetText
        media = draft.media.map(Medium.init)
    }
}

extension PlainPostWire.Medium {
    init(_ medium: PostDraft.Medium) {
        id = medium.uploaded.id
        url = medium.uploaded.url
        name = medium.medium.name
        type = medium.medium.type.name
        size = medium.medium.file.size.bytes
        sha256 = medium.medium.file.sha256
        alt = medium.medium.altText
        focus = medium.medium.focus.map { [$0.x, $0.y] }
    }
}

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

extension WallTime {
    /// The moment in UTC as RFC 3339 writes it.
    var internetText: String {
        Date(timeIntervalSince1970: Double(secondsSince1970)).formatted(.iso8601)
    }
}
