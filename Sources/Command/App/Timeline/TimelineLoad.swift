import Calotype
import CalotypeCore
import TaskFlow

/// One load in the timeline, built from pipeline events and trace spans.
///
/// A span arrives when it has ended. To make a stalled load visible, the stage that is probably running is
/// shown as open until its span arrives.
struct TimelineLoad: Hashable, Sendable {
    /// The state of a load.
    enum State: String, Hashable, Sendable, CaseIterable {
        case running, finished, failed, cancelled
    }

    /// What in the app requested a load.
    struct Caller: Hashable, Sendable {
        /// The name of the page that a picture is shown on; `nil` if none is.
        var page: String?
        /// The ID of the wall that it belongs to; `nil` if it belongs to none.
        var wall: String?
    }

    /// A load with twenty attempts has at most this many stages.
    private static let mostStages = 64
    private static let mostSourceBytes = 512

    let id: UInt64
    let source: String
    let subject: PipelineEvent.Subject
    let caller: Caller
    let start: Duration
    private(set) var state = State.running
    private(set) var code: ErrorCode?
    private(set) var origin: PipelineEvent.Origin?
    private(set) var end: Duration?
    private(set) var bytes: ByteCount?
    /// The load whose work this one waits for, or waited for.
    private(set) var joined: UInt64?
    private var ended: [TimelineStage] = []
    private var open: TimelineStage?
    /// The timeline's revision at the last change of this load.
    var revision: UInt64 = 0

    init(
        _ id: UInt64,
        of source: String?,
        for subject: PipelineEvent.Subject,
        by caller: Caller = Caller(),
        at now: Duration
    ) {
        self.id = id
        self.source = Self.shortened(source ?? "")
        self.subject = subject
        self.caller = caller
        start = now
    }

    /// The stages so far, in the order of their start.
    var stages: [TimelineStage] {
        (ended + (open.map { [$0] } ?? [])).sorted { $0.start < $1.start }
    }

    /// Records an event of the pipeline.
    mutating func note(_ kind: PipelineEvent.Kind, at now: Duration) {
        switch kind {
        case .started, .storeFailed: break
        case .requested: open = TimelineStage(name: .queue, start: now)
        case .received(let count):
            bytes = count
            open = nil
        case .decoding: open = TimelineStage(name: .decode, start: now)
        case .finished(let origin):
            self.origin = origin
            end(.finished, now)
        case .failed(let code):
            self.code = code
            end(.failed, now)
        case .cancelled: end(.cancelled, now)
        }
    }

    /// Records a trace span; `joined` is the other load that this one waits for, if any.
    mutating func note(_ notice: TraceRecorder.Notice, joined: UInt64?) {
        switch notice {
        case .began(let wait):
            if state == .running { open = TimelineStage(name: .wait, start: wait.start) }
            self.joined = joined ?? self.joined
        case .ended(let event):
            guard let name = TimelineStage.Name(event), ended.count < Self.mostStages else { return }
            ended.append(TimelineStage(name: name, start: event.start, end: event.start + event.duration))
            moveOn(after: name, at: event.start + event.duration)
        }
    }

    /// Opens the stage that probably runs after `name` has ended.
    private mutating func moveOn(after name: TimelineStage.Name, at now: Duration) {
        guard state == .running, let current = open?.name else { return }
        switch (name, current) {
        case (.queue, .queue): open = TimelineStage(name: .firstByte, start: now)
        case (.firstByte, .firstByte): open = TimelineStage(name: .body, start: now)
        case (.connect, _), (.store, _): break
        case (.encode, .decode), (.decode, .decode), (.body, _), (.wait, .wait), (.failedTry, _): open = nil
        default: break
        }
    }

    private mutating func end(_ state: State, _ now: Duration) {
        self.state = state
        end = now
        if var stage = open {
            stage.end = now
            ended.append(stage)
        }
        open = nil
    }

    private static func shortened(_ source: String) -> String {
        guard source.utf8.count > mostSourceBytes else { return source }
        return String(decoding: source.utf8.prefix(mostSourceBytes), as: UTF8.self) + "…"
    }
}

/// A stage of a load in the timeline.
struct TimelineStage: Hashable, Sendable {
    /// The kind of stage.
    enum Name: String, Hashable, Sendable, CaseIterable {
        case queue, connect
        case firstByte = "first byte"
        case body, decode, encode, store
        /// Waiting for work that another load started.
        case wait
        /// A whole failed request to the origin; its finished parts have stages, too.
        case failedTry = "failed try"
    }

    let name: Name
    let start: Duration
    /// The end; `nil` while the stage is running.
    var end: Duration?
}

extension TimelineStage.Name {
    /// Creates the stage for a trace span; `nil` if the span does not belong to a load.
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
