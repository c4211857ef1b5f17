/// Why a cache let go of its index.
enum SessionEnd: Sendable {
    /// The scope ended.
    case ended
    /// The index is damaged: it is set aside, and a new one made.
    case damaged(String)
    /// The index is not where it was: somebody removed or moved it.
    case vanished
    /// The folder is of no use for now.
    case unusable(String)
    /// The index can be read at most.
    case unwritable(String)
    /// It is time to look again who owns the folder.
    case lookAgain
}
