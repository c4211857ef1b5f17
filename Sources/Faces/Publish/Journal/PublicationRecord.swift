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
