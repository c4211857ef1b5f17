/// A medium of a post whose manifest lies in the same bucket.
struct S3ManifestMedium: Encodable {
    private enum Key: CodingKey {
        case key, url, focus
    }

    private let medium: PostDraft.Medium

    init(_ medium: PostDraft.Medium) {
        self.medium = medium
    }

    func encode(to encoder: any Encoder) throws {
        try MediumFacts(medium.medium).encode(to: encoder)
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(medium.uploaded.id, forKey: .key)
        try values.encodeIfPresent(medium.uploaded.url, forKey: .url)
        try values.encodeIfPresent(medium.medium.focus, forKey: .focus)
    }
}
