/// A wait, from now on, for work that another caller started.
struct TraceLink: Sendable {
    private let waiter: TaskTrace.Context
    private let lane: Int?
    private let start: Duration

    /// Begins a wait; `starter` is nil when nobody recorded the work.
    init(from waiter: TaskTrace.Context, to starter: TaskTrace.Context?) {
        self.waiter = waiter
        lane = starter.flatMap { $0.recorder === waiter.recorder ? $0.lane : nil }
        start = waiter.recorder.now
    }

    /// Records that the wait has ended.
    func record(_ name: String) {
        let event = TraceEvent(
            name: name,
            category: "join",
            start: start,
            duration: waiter.recorder.now - start,
            lane: waiter.lane,
            kind: .link(lane: lane)
        )
        waiter.recorder.record(event)
    }
}
