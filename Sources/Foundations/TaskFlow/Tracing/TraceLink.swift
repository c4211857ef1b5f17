/// A wait, from now on, for work that another caller started.
struct TraceLink: Sendable {
    private let recorder: TraceRecorder
    private var event: TraceEvent

    /// Begins a wait, which is called `name`; `starter` is nil when nobody recorded the work.
    init(_ name: String, from waiter: TaskTrace.Context, to starter: TaskTrace.Context?) {
        recorder = waiter.recorder
        let starter = starter?.recorder === recorder ? starter : nil
        event = TraceEvent(
            name: name,
            category: "join",
            start: recorder.now,
            duration: .zero,
            lane: waiter.lane,
            kind: .link(lane: starter?.lane),
            item: waiter.item,
            awaitedItem: starter?.item
        )
        recorder.begin(event)
    }

    /// Records that the wait has ended.
    mutating func end() {
        event.duration = recorder.now - event.start
        recorder.record(event)
    }
}
