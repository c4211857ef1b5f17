/// How the run before left the index.
enum IndexCondition: Int, Sendable {
    /// It did not end well, or still goes on.
    case inUse = 0
    case clean = 1
    /// It ended well, but the files were not all compared with the index.
    case unscanned = 2
    /// It was made anew, and the files have not all been entered in it, whether it ended well or not.
    case recovering = 3
}
