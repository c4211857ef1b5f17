public import CalotypeCore

/// What a disk cache holds, and what it did since it was opened.
public struct DiskCacheSnapshot: Hashable, Sendable {
    /// What the cache can do now.
    public enum Access: Hashable, Sendable {
        /// It is being opened.
        case opening
        /// It reads and writes.
        case owner
        /// It reads what another process keeps, or what cannot be written now, and stores nothing.
        case reader
        /// It finds and keeps nothing, because of the reason; it tries again every 30 seconds.
        case unusable(String)
        /// Its scope has ended.
        case ended
    }

    /// What the cache can do now.
    public internal(set) var access = Access.opening
    /// Why it cannot be written, where it only reads for that reason, and not because another process writes.
    public internal(set) var unwritable: String?
    /// Whether the folder holds the cache of a newer Calotype, which is not touched.
    public internal(set) var isNewer = false
    /// The number of entries on the disk; in a reader, when it was opened.
    public internal(set) var entries = 0
    /// What values and metadata take on the disk; in a reader, when it was opened.
    public internal(set) var bytes = ByteCount(0)
    /// What waits in memory to be written.
    public internal(set) var stagedBytes = ByteCount(0)
    /// The look-ups that found a value.
    public internal(set) var hits = 0
    /// The look-ups that found none.
    public internal(set) var misses = 0
    /// The values that were written.
    public internal(set) var stores = 0
    /// The values that were not kept: too large, too many at once, or the disk refused them.
    public internal(set) var dropped = 0
    /// The values that were removed to make room.
    public internal(set) var evicted = 0
    /// The values that were removed because something was wrong with them.
    public internal(set) var quarantined = 0
    /// The values that were found in files and entered in the index anew.
    public internal(set) var recovered = 0
    /// Whether the files are being compared with the index, after a crash or damage.
    public internal(set) var isRepairing = false

    /// Whether it reads and writes.
    public var isOwner: Bool { access == .owner }
}
