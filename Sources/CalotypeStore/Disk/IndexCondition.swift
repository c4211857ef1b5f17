/// How the run before left the index.
enum IndexCondition: Int, Sendable {
    /// It did not end well, or still goes on.
    case inUse = 0
    case clean = 1
    /// It ended well, but the files were not all compared with the index.
    case unscanned = 2
}
