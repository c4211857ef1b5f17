import Calotype
import CalotypeCore
import TaskFlow

/// One load as the timeline shows it, put together from what the pipeline tells of it and the spans of its trace.
///
/// Spans come when they have ended. So that a load that hangs is seen to hang, the stage that is likely to be under way is shown
/// open, until its span tells what it was.
struct TimelineLoad: Hashable, Sendable {
    /// How it stands.
    enum State: String, Hashable, Sendable, CaseIterable {
        case running, finished, failed, cancelled
    }

    /// A load of twenty attempts has no more.
    private static let mostStages = 64
    private static let mostSourceBytes = 512

    let id: UInt64
    let source: String
    let subject: PipelineEvent.Subject
    let start: Duration
    private(set) var state = State.running
    private(set) var code: ErrorCode?
    private(set) var origin: PipelineEvent.Origin?
    private(set) var end: Duration?
    private(set) var bytes: ByteCount?
    /// The load whose work it waits for, or has waited for.
    private(set) var joined: UInt64?
    private var ended: [TimelineStage] = []
    private var open: TimelineStage?
    /// The timeline's count of changes when this last changed.
    var revision: UInt64 = 0

    init(_ id: UInt64, of source: String?, for subject: PipelineEvent.Subject, at now: Duration) {
        self.id = id
        self.source = Self.shortened(source ?? "")
        self.subject = subject
        start = now
    }

    /// What it went through so far, by when it began.
    var stages: [TimelineStage] {
        (ended + (open.map { [$0] } ?? [])).sorted { $0.start < $1.start }
    }

    /// Takes what the pipeline tells.
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

    /// Takes what the trace tells; `joined` is the load that is waited for, where that is another.
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

    /// What is likely to be under way after a stage has ended.
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
