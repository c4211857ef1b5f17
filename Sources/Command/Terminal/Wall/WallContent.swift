/// What a wall shows at a time: entries, or what is to be said in their place.
struct WallContent: Hashable, Sendable {
    /// How far it is.
    enum State: Hashable, Sendable {
        /// Nothing was asked for.
        case initial
        /// The entries are on their way.
        case loading
        /// There are none.
        case empty
        /// They could not be had.
        case failed
        /// They are here.
        case ready
    }

    /// Where the entries come from, for the line above them.
    let title: String
    let state: State
    /// What is said in place of the entries; empty where there are some.
    let message: String
    /// Empty unless the state is `ready`.
    let entries: [WallEntry]
    /// Whether Escape leads back to what was shown before it, as from a search.
    let canBeLeft: Bool

    /// Words in the place of entries.
    init(_ state: State, title: String, message: String, canBeLeft: Bool = false) {
        self.title = title
        self.state = state
        self.message = message
        self.canBeLeft = canBeLeft
        entries = []
    }

    /// Entries, at least one.
    init(title: String, entries: [WallEntry], canBeLeft: Bool = false) {
        self.title = title
        self.entries = entries
        self.canBeLeft = canBeLeft
        state = .ready
        message = ""
    }
}
