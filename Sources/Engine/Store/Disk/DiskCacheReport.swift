/// What a check of a whole cache found.
public struct DiskCacheReport: Hashable, Sendable {
    /// The entries that were read and compared with their checksums.
    public internal(set) var checked = 0
    /// What is wrong with the structure of the index, in SQLite's words; nothing for a sound one.
    public internal(set) var indexProblems: [String] = []
    /// The entries that were wrong, and were removed; a cache that does not own its folder only counts them.
    public internal(set) var removed = 0
    /// The entries that could not be read for now, and were left.
    public internal(set) var unreadable = 0
    /// The files that the index knows.
    public internal(set) var files = 0
    /// The files that the index did not know, and that were entered in it.
    public internal(set) var recoveredFiles = 0
    /// The files that belonged to nothing, and were removed.
    public internal(set) var removedFiles = 0

    /// Whether nothing was wrong.
    public var isSound: Bool {
        indexProblems.isEmpty && removed == 0 && unreadable == 0 && recoveredFiles == 0 && removedFiles == 0
    }
}
