/// One finished piece of work in a trace.
public struct TraceEvent: Hashable, Sendable {
    /// One fact about a piece of work.
    public struct Argument: Hashable, Sendable {
        /// What the fact is called.
        public var name: String
        /// What it is.
        public var value: String

        /// Creates an argument.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What an event tells.
    public enum Kind: Hashable, Sendable {
        /// Work that was done in the event's lane.
        case work
        /// A wait for work that another caller had started and that is recorded in another lane; `nil` when that work is
        /// not in this trace.
        case link(lane: Int?)
    }

    /// What was done, such as `decode`.
    public var name: String
    /// The kind of work, by which viewers filter.
    public var category: String
    /// When it began, since the recorder was made.
    public var start: Duration
    /// How long it took.
    public var duration: Duration
    /// The row in which it is drawn: an item of work rather than a thread, because tasks change threads.
    public var lane: Int
    /// What else is known about it, in order.
    public var arguments: [Argument]
    /// Whether it was work of its own or a wait for that of another.
    public var kind: Kind
    /// The number of the item of work that it is a part of, see ``TaskTrace/withItem(_:recordingTo:_:)``; `nil` where it has none.
    public var item: UInt64?
    /// Where it was a wait: the number of the item of work that was waited for; `nil` where it has none.
    public var awaitedItem: UInt64?

    /// Creates an event.
    public init(
        name: String,
        category: String,
        start: Duration,
        duration: Duration,
        lane: Int,
        arguments: [Argument] = [],
        kind: Kind = .work,
        item: UInt64? = nil,
        awaitedItem: UInt64? = nil
    ) {
        self.name = name
        self.category = category
        self.start = start
        self.duration = duration
        self.lane = lane
        self.arguments = arguments
        self.kind = kind
        self.item = item
        self.awaitedItem = awaitedItem
    }
}
