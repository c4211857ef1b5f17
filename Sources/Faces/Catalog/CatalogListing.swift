public import CalotypeCore
import CalotypeHTTP

/// The entries of a catalogue's response: the valid ones, and notes about the skipped ones.
public struct CatalogListing<Entry: Sendable>: Sendable {
    /// The entries, in the order of the response.
    public var entries: [Entry]
    /// The skipped parts, with reasons.
    public var skipped: [SkippedEntry]
    /// How the cache was used.
    public var cache: CacheUse
    /// The time until which the response is used without a request; `nil` if it must not be cached.
    public var freshUntil: WallTime?

    /// Creates a listing.
    public init(
        entries: [Entry],
        skipped: [SkippedEntry] = [],
        cache: CacheUse = .miss,
        freshUntil: WallTime? = nil
    ) {
        self.entries = entries
        self.skipped = skipped
        self.cache = cache
        self.freshUntil = freshUntil
    }
}

extension CatalogListing: Equatable where Entry: Equatable {}
extension CatalogListing: Hashable where Entry: Hashable {}

/// A picture in a catalogue: its URL and title.
public struct CatalogPicture: Hashable, Sendable {
    /// The URL, as in the response.
    public var url: String
    /// A short description; may be empty.
    public var title: String

    /// Creates a picture.
    public init(url: String, title: String = "") {
        self.url = url
        self.title = title
    }
}

/// A part of a response that is invalid and was skipped; the rest is used.
public struct SkippedEntry: Hashable, Sendable, CustomStringConvertible {
    /// The kind of part.
    public enum Part: String, Hashable, Sendable {
        /// The whole entry.
        case entry
        /// One screenshot of an entry that is otherwise used.
        case screenshot
    }

    /// The entry's position in the response, from 1.
    public var position: Int
    /// The skipped part.
    public var part: Part
    /// The entry's ID; `nil` if it has none.
    public var id: Int?
    /// The entry's name; `nil` if it has none.
    public var name: String?
    /// The reason, in a few words.
    public var reason: String

    /// Creates a note about a skipped part.
    public init(
        position: Int,
        part: Part = .entry,
        id: Int? = nil,
        name: String? = nil,
        reason: String
    ) {
        self.position = position
        self.part = part
        self.id = id
        self.name = name
        self.reason = reason
    }

    /// Position, name and reason on one line, such as `entry 3 (Camera): its icon is no URL`.
    public var description: String {
        let subject = name ?? id.map { "\($0)" }
        let place = part == .entry ? "entry \(position)" : "a screenshot of entry \(position)"
        return place + (subject.map { " (\($0))" } ?? "") + ": \(reason)"
    }
}
