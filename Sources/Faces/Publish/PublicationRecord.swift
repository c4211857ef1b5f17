public import CalotypeHTTP

/// What the journal has of a publication.
public struct PublicationRecord: Hashable, Sendable {
    /// Its number in the journal.
    package let number: Int64
    /// Its own key, a UUID, which servers are told.
    public let id: String
    /// Equal for posts of the same content to the same destination.
    package let fingerprint: String
    /// The destination's name.
    public let destination: String
    /// What the caller noted about it.
    public let note: String?
    /// The post's text.
    public let text: String
    /// How far it has come.
    public let state: PublicationState
    /// When it was begun.
    public let created: WallTime
    /// When the post was first sent, if that may have arrived.
    package let sent: WallTime?
    /// What the destination remembered of the post.
    package let remembered: RememberedState
    /// What the server answered.
    public let result: PublishedPost?
    /// Why the last attempt failed.
    public let problem: String?
    /// Its media in the order of the post.
    public internal(set) var items: [ItemRecord]

    /// What is written as the ``problem`` of a cancelled publication of which nothing stays at its server.
    static let cancelled = "cancelled"

    /// Whether it can be resumed: it was begun, and there is something at the server, or may be.
    public var isUnfinished: Bool {
        switch state {
        case .posting: true
        case .collecting, .failed: hasLeftovers
        case .posted, .cancelled: false
        }
    }

    /// Whether a server may have something of it that is of no use.
    public var hasLeftovers: Bool {
        state != .posted && (remembered != .none || items.contains(where: \.isAtServer))
    }
}

/// What the journal says of a publication.
public enum PublicationState: String, Hashable, Sendable {
    /// Its media are on their way; the post was not sent.
    case collecting
    /// The post was sent, and the answer is not known.
    case posting
    /// The post is published.
    case posted
    /// It was given up; what is up can be used by a resume.
    case failed
    /// It was cancelled; what is up is to be removed.
    case cancelled

    /// Whether nobody works on it any more, unless it is taken up again.
    var isOver: Bool { self == .posted || self == .cancelled }
}

/// What the journal has of one medium.
public struct ItemRecord: Hashable, Sendable {
    /// Its place in the post, from 0.
    public let position: Int
    /// The name that the server is told.
    public let name: String
    /// What the source was when it was first looked at: its SHA-256, or a description of what makes it.
    package let origin: String
    /// What is sent; `nil` as long as that has to be made.
    package let file: SourceFile?
    /// What it is.
    package let type: MediaType?
    /// What the destination remembered of the upload.
    package let remembered: RememberedState
    /// What the server calls it, when it is ready.
    public let uploaded: UploadedMedium?

    /// Whether the server may have something of it.
    var isAtServer: Bool { uploaded != nil || remembered != .none }

    /// Whether its upload did not come to its end, so that the server may have it or not, or get it only later.
    var isCut: Bool { uploaded == nil && remembered != .none }
}

extension PublicationRecord {
    /// What became of it, a word or two.
    package var standing: String {
        switch state {
        case .posted: "published"
        case .posting: "not known"
        case .collecting, .failed: isUnfinished ? "unfinished" : "failed"
        case .cancelled: hasLeftovers ? "to be removed" : "cancelled"
        }
    }

    /// The beginning of its key, by which a person calls it.
    package var shortID: String { String(id.prefix(8)) }

    /// When it was begun, in UTC, to the minute.
    package var begun: String {
        String(created.internetText.prefix(16).map { $0 == "T" ? " " : $0 })
    }

    /// How many of its media are at the server, of how many.
    package var share: String {
        "\(items.count { $0.uploaded != nil }) of \(items.count)"
    }

    /// The publication as a JSON object on one line, for programs.
    package var json: String {
        let wire = Wire(
            id: id,
            created: created.internetText,
            state: state.rawValue,
            unfinished: isUnfinished,
            leftovers: hasLeftovers,
            destination: destination,
            file: PublishNote(note)?.file,
            text: text,
            problem: problem,
            url: result?.url,
            media: items.map { .init(name: $0.name, id: $0.uploaded?.id, url: $0.uploaded?.url) }
        )
        return JSONLine.text(wire)
    }
}

/// A publication as JSON.
private struct Wire: Encodable {
    struct Medium: Encodable {
        let name: String
        let id: String?
        let url: String?
    }

    let id: String
    let created: String
    let state: String
    let unfinished: Bool
    let leftovers: Bool
    let destination: String
    let file: String?
    let text: String
    let problem: String?
    let url: String?
    let media: [Medium]
}
