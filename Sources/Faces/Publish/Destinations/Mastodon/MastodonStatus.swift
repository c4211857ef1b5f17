internal import CalotypeHTTP

/// The fields of a request for a post.
struct MastodonStatusRequest: Encodable {
    /// How far in advance a scheduled post must reach the server.
    static let scheduleAhead = Duration.seconds(300)

    var status: String
    var mediaIDs: [String]
    /// The warning, and whether media are hidden behind it.
    var spoilerText: String?
    var isSensitive: Bool?
    var visibility: String?
    var language: String?
    var scheduledAt: String?

    private enum CodingKeys: String, CodingKey {
        case status, visibility, language
        case mediaIDs = "media_ids"
        case spoilerText = "spoiler_text"
        case isSensitive = "sensitive"
        case scheduledAt = "scheduled_at"
    }

    init(_ draft: PostDraft) {
        status = draft.text
        mediaIDs = draft.media.map(\.uploaded.id)
        spoilerText = draft.contentWarning
        isSensitive = draft.contentWarning == nil ? nil : true
        visibility = draft.visibility?.rawValue
        language = draft.language
        scheduledAt = draft.schedule?.internetText
    }
}

/// A published or scheduled post as the server reports it.
struct MastodonStatus: Decodable {
    /// The fields with which a scheduled post was requested.
    struct Parameters: Decodable {
        var text: String?
    }

    var id: MastodonID
    var url: String?
    var createdAt: String?
    /// The text as written; not all servers report it.
    var text: String?
    /// The text as HTML.
    var content: String?
    var account: MastodonAccount?
    var attachments: [MastodonAttachment]?
    var params: Parameters?

    private enum CodingKeys: String, CodingKey {
        case id, url, text, content, account, params
        case createdAt = "created_at"
        case attachments = "media_attachments"
    }

    /// When the post was created.
    var created: WallTime? {
        createdAt.flatMap(RFC3339.seconds).map { WallTime(secondsSince1970: $0) }
    }

    /// Converts the post to the publisher's type.
    func published(_ draft: PostDraft) -> PublishedPost {
        PublishedPost(id: id.text, url: url, media: draft.media.map(\.uploaded))
    }

    /// Whether the post has the same media as the draft.
    ///
    /// Compares the media's IDs, or their URLs if a post's media receive IDs of their own.
    func hasMedia(of draft: PostDraft) -> Bool {
        let wanted = draft.media.map(\.uploaded)
        let attachments = attachments ?? []
        guard !wanted.isEmpty, wanted.count == attachments.count else { return false }
        if Set(wanted.map(\.id)) == Set(attachments.map(\.id.text)) { return true }
        let urls = wanted.compactMap(\.url)
        return urls.count == wanted.count && Set(urls) == Set(attachments.compactMap(\.url))
    }

    /// Whether the post has the same text as the draft, as far as can be determined.
    func hasText(of draft: PostDraft) -> Bool {
        if let text = text ?? params?.text { return StatusText(text) == StatusText(draft.text) }
        guard let content else { return false }
        let shown = StatusText(html: content)
        // Servers show a name on another server without its host.
        return shown == StatusText(draft.text) || shown == StatusText(draft.text).withoutHosts
    }
}

/// A server's ID: a string, which some servers write as a number.
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

/// The fields of an account that we need.
struct MastodonAccount: Decodable {
    var id: MastodonID
}

/// A text without the characters that servers change: white space, line breaks and punctuation.
struct StatusText: Hashable {
    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " "]

    private let source: String
    private let letters: String

    /// Creates the value from a text as written.
    init(_ text: String) {
        source = text
        let kept = text.unicodeScalars.filter(Self.isKept)
        // A text without any other characters is compared by the ones that it has.
        let all = text.unicodeScalars.filter { !$0.properties.isWhitespace }
        letters = String(String.UnicodeScalarView(kept.isEmpty ? all : kept))
    }

    /// Creates the value from HTML.
    init(html: String) {
        self.init(Self.withoutEntities(Self.withoutTags(html)))
    }

    static func == (lhs: StatusText, rhs: StatusText) -> Bool { lhs.letters == rhs.letters }

    func hash(into hasher: inout Hasher) { hasher.combine(letters) }

    /// The text with `@ada` in place of `@ada@example.org`.
    var withoutHosts: StatusText {
        StatusText(
            source.split(whereSeparator: \.isWhitespace).map { word in
                let parts = word.split(separator: "@", omittingEmptySubsequences: false)
                return parts.count == 3 && parts[0].isEmpty ? "@\(parts[1])" : String(word)
            }.joined(separator: " ")
        )
    }

    /// Whether a character counts in a comparison.
    ///
    /// Punctuation does not: ASCII punctuation may be markup, and servers may replace the rest with
    /// typographic forms.
    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if properties.isAlphabetic || properties.numericType != nil { return true }
        guard !scalar.isASCII else { return false }
        switch properties.generalCategory {
        case .otherSymbol, .mathSymbol, .currencySymbol, .modifierSymbol: return true
        default: return false
        }
    }

    private static func withoutTags(_ html: String) -> String {
        var text = ""
        var rest = html[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            text += rest[..<start]
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }

    private static func withoutEntities(_ text: String) -> String {
        var pieces = text.split(separator: "&", omittingEmptySubsequences: false)[...]
        var plain = String(pieces.removeFirst())
        for piece in pieces {
            if let end = piece.firstIndex(of: ";"), let character = character(piece[..<end]) {
                plain += character + piece[piece.index(after: end)...]
            } else {
                plain += "&" + piece
            }
        }
        return plain
    }

    private static func character(_ entity: Substring) -> String? {
        guard entity.hasPrefix("#") else { return entities[String(entity)] }
        let digits = entity.dropFirst()
        let number =
            digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
