internal import CalotypeCore
internal import CalotypeHTTP

/// A post as a JSON document, for a server that takes it or for programs that find it; each destination names its media in its
/// own way.
struct DraftDocument<Medium: Encodable>: Encodable {
    /// The post's own key.
    let id: String
    let text: String
    let visibility: String?
    let language: String?
    /// When it is to be shown, as RFC 3339 writes it.
    let schedule: String?
    /// In order.
    let media: [Medium]

    init(_ draft: PostDraft, key: String, _ medium: (PostDraft.Medium) -> Medium) {
        id = key
        text = draft.text
        visibility = draft.visibility?.rawValue
        language = draft.language
        schedule = draft.schedule?.internetText
        media = draft.media.map(medium)
    }
}

/// What every ``DraftDocument`` says of a medium.
struct MediumFacts: Encodable {
    /// The file's name where it came from.
    let name: String
    let type: String
    /// In bytes.
    let size: Int
    let sha256: String
    let alt: String?

    init(_ medium: PreparedMedium) {
        name = medium.name
        type = medium.type.name
        size = medium.file.size.bytes
        sha256 = medium.file.sha256
        alt = medium.altText
    }
}
