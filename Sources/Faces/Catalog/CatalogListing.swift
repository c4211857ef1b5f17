public import CalotypeCore
import CalotypeHTTP

/// What a catalogue's answer lists: the entries that make sense, and what was left out.
public struct CatalogListing<Entry: Sendable>: Sendable {
    /// The entries, in the order of the answer.
    public var entries: [Entry]
    /// What was left out, and why.
    public var skipped: [SkippedEntry]
    /// How what was kept of an earlier answer helped.
    public var cache: CacheUse
    /// Until when the answer is taken without asking again; `nil` where it may not be kept.
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

/// A picture that a catalogue names: where it is, and what people call it.
public struct CatalogPicture: Hashable, Sendable {
    /// The URL, as the catalogue gives it.
    public var url: String
    /// What it shows, in a few words; may be empty.
    public var title: String

    /// Creates a picture.
    public init(url: String, title: String = "") {
        self.url = url
        self.title = title
    }
}

/// A part of an answer that makes no sense and was left out; the rest of the answer counts.
public struct SkippedEntry: Hashable, Sendable, CustomStringConvertible {
    /// What was left out.
    public enum Part: String, Hashable, Sendable {
        /// The whole entry.
        case entry
        /// One screenshot of an entry that was kept.
        case screenshot
    }

    /// The entry's place in the answer, from 1.
    public var position: Int
    /// What was left out of the answer.
    public var part: Part
    /// The entry's number; `nil` where it has none.
    public var id: Int?
    /// The entry's name; `nil` where it has none.
    public var name: String?
    /// Why it was left out, in a few words.
    public var reason: String

    /// Creates a note of something left out.
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

    /// Place, name and reason on one line, such as `entry 3 (Camera): its icon is no URL`.
    public var description: String {
        let subject = name ?? id.map { "\($0)" }
        let place = part == .entry ? "entry \(position)" : "a screenshot of entry \(position)"
        return place + (subject.map { " (\($0))" } ?? "") + ": \(reason)"
    }
}
