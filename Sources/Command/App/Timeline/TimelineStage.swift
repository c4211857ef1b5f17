import TaskFlow

/// A part of a load's way, as the timeline shows it.
struct TimelineStage: Hashable, Sendable {
    /// What is done.
    enum Name: String, Hashable, Sendable, CaseIterable {
        case queue, connect
        case firstByte = "first byte"
        case body, decode, encode, store
        /// For work that another load has started.
        case wait
        /// All of a request to the origin that came to nothing; its own parts are told too, as far as it had any.
        case failedTry = "failed try"
    }

    let name: Name
    let start: Duration
    /// `nil` while it goes on.
    var end: Duration?
}

extension TimelineStage.Name {
    /// The stage that a span of the trace belongs to; `nil` for one that is no load's.
    init?(_ event: TraceEvent) {
        switch (event.category, event.name) {
        case ("join", _): self = .wait
        case ("store", _): self = .store
        case (_, "queued"): self = .queue
        case (_, "dns"), (_, "connect"): self = .connect
        case (_, let name):
            guard let stage = TimelineStage.Name(rawValue: name) else { return nil }
            self = stage
        }
    }
}
