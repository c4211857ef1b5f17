/// What a key asks for that is not the machine's to do.
enum WallEffect: Hashable, Sendable {
    /// Search for a term.
    case search(String)
    /// Search again for what failed.
    case searchAgain
    /// Go back from a search to what was shown before it.
    case leaveSearch
    /// Try the failed pictures in sight again.
    case retry
    /// Draw all of the screen anew.
    case redraw
    /// End.
    case quit
}
