public import CalotypeHTTP

/// The journal's record of a publication.
public struct PublicationRecord: Hashable, Sendable {
    /// The publication's number in the journal.
    package let number: Int64
    /// The publication's own key, a UUID; it is sent to servers.
    public let id: String
    /// A value that is equal for posts of the same content to the same destination.
    package let fingerprint: String
    /// The destination's name.
    public let destination: String
    /// A note that the caller stored with the publication.
    public let note: String?
    /// The post's text.
    public let text: String
    /// The state of the publication.
    public let state: PublicationState
    /// When the publication began.
    public let created: WallTime
    /// When the post was first sent; `nil` if it cannot have reached the server.
    package let sent: WallTime?
    /// The state that the destination stored for the post.
    package let remembered: RememberedState
    /// The published post as the server reported it.
    public let result: PublishedPost?
    /// Why the last attempt failed.
    public let problem: String?
    /// The media, in the order of the post.
    public internal(set) var items: [ItemRecord]

    /// The ``problem`` of a cancelled publication that left nothing at its server.
    static let cancelled = "cancelled"

    /// Whether the publication can be resumed: it began, and the server has, or may have, a part of it.
    public var isUnfinished: Bool {
        switch state {
        case .posting: true
        case .collecting, .failed: hasLeftovers
        case .posted, .cancelled: false
        }
    }

    /// Whether the server may still have unused data of the publication.
    public var hasLeftovers: Bool {
        state != .posted && (remembered != .none || items.contains(where: \.isAtServer))
    }
}

/// The state of a publication in the journal.
public enum PublicationState: String, Hashable, Sendable {
    /// Media are being uploaded; the post has not been sent.
    case collecting
    /// The post was sent, and the outcome is unknown.
    case posting
    /// The post is published.
    case posted
    /// The publication failed; a resume can use the media that were uploaded.
    case failed
    /// The publication was cancelled; its uploads are to be removed.
    case cancelled

    /// Whether no process works on the publication any more, unless it is resumed.
    var isOver: Bool { self == .posted || self == .cancelled }
}

/// The journal's record of one medium.
public struct ItemRecord: Hashable, Sendable {
    /// The medium's position in the post, from 0.
    public let position: Int
    /// The file name that is sent to the server.
    public let name: String
    /// The source when it was first read: its SHA-256, or a description of what creates it.
    package let origin: String
    /// The file to send; `nil` until it has been created.
    package let file: SourceFile?
    /// The file's media type.
    package let type: MediaType?
    /// The state that the destination stored for the upload.
    package let remembered: RememberedState
    /// The medium as the server reported it, once it is ready.
    public let uploaded: UploadedMedium?

    /// Whether the server may have a part of the medium.
    var isAtServer: Bool { uploaded != nil || remembered != .none }

    /// Whether the upload was cut off.
    ///
    /// If so, the server may have the medium, lack it, or receive it later.
    var isCut: Bool { uploaded == nil && remembered != .none }
}

extension PublicationRecord {
    /// The outcome, in a word or two.
    package var standing: String {
        switch state {
        case .posted: "published"
        case .posting: "unknown"
        case .collecting, .failed: isUnfinished ? "unfinished" : "failed"
        case .cancelled: hasLeftovers ? "to remove" : "cancelled"
        }
    }

    /// The first characters of the key, which identify the publication to people.
    package var shortID: String { String(id.prefix(8)) }

    /// When the publication began, in UTC, to the minute.
    package var begun: String {
        String(created.internetText.prefix(16).map { $0 == "T" ? " " : $0 })
    }

    /// How many media are uploaded, of the total.
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

/// The JSON form of a publication.
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
