public import CalotypeCore
public import CalotypeHTTP

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
