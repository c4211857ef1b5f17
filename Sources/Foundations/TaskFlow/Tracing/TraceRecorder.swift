/// Stores the events of a trace, up to a limit, and counts those beyond it.
public final class TraceRecorder: Sendable {
    /// What a recorder reports while work is in progress.
    public enum Notice: Sendable {
        /// A wait for another caller's work has begun; its duration is not known yet.
        case began(TraceEvent)
        /// Work or a wait has ended; the recorder stores the event if there is room.
        case ended(TraceEvent)
    }

    private struct State {
        var events: [TraceEvent] = []
        var dropped = 0
        var lanes: [Bool] = []
        var observer: (@Sendable (Notice) -> Void)?
    }

    private let limit: Int
    private let stopwatch: Stopwatch
    private let state = Guarded(State())

    /// Creates an empty recorder whose time starts now.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of events; 200,000 by default. Later ones are dropped and counted.
    ///   - clock: The clock that measures the spans.
    public init<C: Clock<Duration>>(limit: Int = 200_000, clock: C = ContinuousClock()) {
        self.limit = max(limit, 0)
        stopwatch = Stopwatch(clock)
    }

    /// The time since the recorder was created.
    public var now: Duration { stopwatch.now }

    /// The recorded events, in the order in which they ended.
    public var events: [TraceEvent] { state.withLock { $0.events } }

    /// The number of events after the limit was reached.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Stores an event, or counts it if the limit is reached.
    public func record(_ event: TraceEvent) {
        let observer = state.withLock { state in
            if state.events.count < limit { state.events.append(event) } else { state.dropped += 1 }
            return state.observer
        }
        observer?(.ended(event))
    }

    /// Reports each event to `observer` from now on, instead of to the previous observer.
    ///
    /// The observer is called where the work runs, and must be quick. A recorder with a limit of 0 only
    /// reports.
    public func observe(_ observer: (@Sendable (Notice) -> Void)?) {
        state.withLock { $0.observer = observer }
    }

    func begin(_ event: TraceEvent) {
        state.withLock { $0.observer }?(.began(event))
    }

    /// Takes the lowest free lane, so that a trace has as many rows as there was concurrency.
    func takeLane() -> Int {
        state.withLock { state in
            let free = state.lanes.firstIndex(of: false) ?? state.lanes.count
            if free == state.lanes.count { state.lanes.append(true) } else { state.lanes[free] = true }
            return free + 1
        }
    }

    func returnLane(_ lane: Int) {
        state.withLock { $0.lanes[lane - 1] = false }
    }
}

/// One finished piece of work in a trace.
public struct TraceEvent: Hashable, Sendable {
    /// One fact about a piece of work.
    public struct Argument: Hashable, Sendable {
        /// The name of the fact.
        public var name: String
        /// The value.
        public var value: String

        /// Creates an argument.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What an event describes.
    public enum Kind: Hashable, Sendable {
        /// Work in the event's lane.
        case work
        /// A wait for work that another caller had started and that is recorded in another lane.
        ///
        /// `nil` if that work is not in this trace.
        case link(lane: Int?)
    }

    /// The name of the work, such as `decode`.
    public var name: String
    /// The kind of work, by which viewers filter.
    public var category: String
    /// When it began, measured from the recorder's creation.
    public var start: Duration
    /// How long it took.
    public var duration: Duration
    /// The row in which it is drawn: an item of work rather than a thread, because tasks change threads.
    public var lane: Int
    /// Further facts about it, in order.
    public var arguments: [Argument]
    /// Whether it was work or a wait for the work of another caller.
    public var kind: Kind
    /// The item of work that it is a part of, see ``TaskTrace/withItem(_:recordingTo:_:)``; `nil` if none.
    public var item: UInt64?
    /// For a wait: the number of the item of work that was waited for; `nil` if it has none.
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
