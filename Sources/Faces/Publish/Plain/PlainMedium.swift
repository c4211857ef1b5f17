/// A medium of a post that goes to a server as JSON.
struct PlainMedium: Encodable {
    private enum Key: CodingKey {
        case id, url, focus
    }

    private let medium: PostDraft.Medium

    init(_ medium: PostDraft.Medium) {
        self.medium = medium
    }

    func encode(to encoder: any Encoder) throws {
        try MediumFacts(medium.medium).encode(to: encoder)
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(medium.uploaded.id, forKey: .id)
        try values.encodeIfPresent(medium.uploaded.url, forKey: .url)
        try values.encodeIfPresent(medium.medium.focus.map { [$0.x, $0.y] }, forKey: .focus)
    }
}
