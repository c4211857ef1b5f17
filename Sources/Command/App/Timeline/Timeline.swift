import Calotype
import TaskFlow

/// The pipeline's loads of the last minute, from its events and trace spans.
///
/// The timeline records whether or not anybody views it; a change costs a lock and a table entry.
final class Timeline: Sendable {
    /// The loads that have changed, and the revision to continue from.
    struct Changes: Sendable {
        let now: Duration
        let loads: [TimelineLoad]
        let counts: TimelineRecord.Counts
        let revision: UInt64
    }

    private let recorder: TraceRecorder
    private let record: Guarded<TimelineRecord>

    /// Creates a timeline of what `recorder` records from now on.
    ///
    /// - Parameters:
    ///   - recorder: The recorder, which also provides the time.
    ///   - limit: Maximum number of loads.
    init(_ recorder: TraceRecorder, limit: Int = 4096) {
        self.recorder = recorder
        record = Guarded(TimelineRecord(limit: limit))
        recorder.observe { [record] notice in record.withLock { $0.note(notice) } }
    }

    /// Records an event of the pipeline.
    func note(_ event: PipelineEvent) {
        let isNew = event.kind == .started
        let source = isNew ? event.source : nil
        let caller = isNew ? Self.caller(of: event.request) : .init()
        let now = recorder.now
        record.withLock { $0.note(event, of: source, by: caller, at: now) }
    }

    private static func caller(of request: ImageRequest) -> TimelineLoad.Caller {
        TimelineLoad.Caller(page: RequestingPage.current, wall: request.userInfo[Wall.ID.self])
    }

    /// The time on the recorder's clock.
    var now: Duration { recorder.now }

    /// Records a cache hit that was not a load of the pipeline.
    ///
    /// `source` is evaluated only if the hit is stored.
    func noteUnloaded(
        _ origin: PipelineEvent.Origin,
        since start: Duration? = nil,
        of source: () -> String
    ) {
        let now = now
        guard record.withLock({ $0.countUnloaded(origin, at: now) }) else { return }
        let name = source()
        let caller = TimelineLoad.Caller(page: RequestingPage.current)
        record.withLock { $0.add(unloaded: name, origin, by: caller, since: start ?? now, at: now) }
    }

    /// The number of changes so far.
    var revision: UInt64 { record.withLock { $0.revision } }

    /// Returns the changes after `revision`; for 0, all stored loads.
    func changes(since revision: UInt64) -> Changes {
        let now = recorder.now
        return record.withLock { record in
            Changes(
                now: now,
                loads: record.loads(since: revision, at: now),
                counts: record.counts,
                revision: record.revision
            )
        }
    }
}

/// The contents of the timeline: the loads of the last minute, and counts since the start.
///
/// The size is bounded. If it is full, a new load replaces the oldest finished one; if none has finished, the
/// new load is not stored. Cache hits are stored for the same minute, a limited number each second.
struct TimelineRecord: Sendable {
    /// The number of loads by outcome, and by the origin of their results.
    struct Counts: Hashable, Sendable, Encodable {
        /// The number of loads in progress.
        var loading = 0
        var finished = 0
        var failed = 0
        var cancelled = 0
        var memory = 0
        var store = 0
        var revalidated = 0
        var shared = 0
        var own = 0
    }

    static let time = Duration.seconds(60)
    /// The number of cache hits stored at once, and per second after that; all are counted.
    private static let unloadedAtOnce = 50.0
    private static let unloadedEachSecond = 8.0

    private let limit: Int
    private var loads: [UInt64: TimelineLoad] = [:]
    private var ended = FIFO<UInt64>()
    /// Cache hits, which are separate so that many of them do not displace loads.
    private var unloaded: [TimelineLoad] = []
    private var lastUnloaded: UInt64 = 0
    private var unloadedRoom = Self.unloadedAtOnce
    private var unloadedTime = Duration.zero
    private(set) var counts = Counts()
    /// Increases with each change.
    private(set) var revision: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Records an event of a load; `source` and `caller` are used for the start of the load.
    mutating func note(
        _ event: PipelineEvent,
        of source: String?,
        by caller: TimelineLoad.Caller = .init(),
        at now: Duration
    ) {
        let id = Self.id(event.load)
        revision += 1
        if event.kind == .started {
            add(TimelineLoad(id, of: source, for: event.subject, by: caller, at: now), at: now)
            counts.loading += 1
        } else {
            loads[id]?.note(event.kind, at: now)
            loads[id]?.revision = revision
        }
        guard count(event.kind) else { return }
        counts.loading -= 1
        if loads[id] != nil { ended.append(id) }
    }

    /// Records a trace span of a load.
    mutating func note(_ notice: TraceRecorder.Notice) {
        let event =
            switch notice {
            case .began(let event), .ended(let event): event
            }
        guard let item = event.item else { return }
        let joined = event.awaitedItem.flatMap { $0 == item ? nil : Self.id($0) }
        revision += 1
        loads[Self.id(item)]?.note(notice, joined: joined)
        loads[Self.id(item)]?.revision = revision
    }

    /// Counts a cache hit that was not a load of the pipeline.
    ///
    /// - Returns: Whether there is space to store it with ``add(unloaded:_:since:at:)``.
    mutating func countUnloaded(_ origin: PipelineEvent.Origin, at now: Duration) -> Bool {
        revision += 1
        _ = count(.finished(origin))
        unloadedRoom += max(.zero, now - unloadedTime) / .seconds(1) * Self.unloadedEachSecond
        unloadedRoom = min(unloadedRoom, Self.unloadedAtOnce)
        unloadedTime = now
        guard unloadedRoom >= 1 else { return false }
        unloadedRoom -= 1
        return true
    }

    /// Stores a cache hit.
    mutating func add(
        unloaded source: String,
        _ origin: PipelineEvent.Origin,
        by caller: TimelineLoad.Caller = .init(),
        since start: Duration,
        at now: Duration
    ) {
        lastUnloaded += 1
        // The pipeline's loads have even numbers.
        var load = TimelineLoad(2 * lastUnloaded + 1, of: source, for: .picture, by: caller, at: start)
        load.note(.finished(origin), at: now)
        load.revision = revision
        unloaded.append(load)
    }

    /// Returns the loads that have changed after `revision`, oldest first.
    mutating func loads(since revision: UInt64, at now: Duration) -> [TimelineLoad] {
        prune(at: now)
        return (Array(loads.values) + unloaded).filter { $0.revision > revision }.sorted {
            ($0.start, $0.id) < ($1.start, $1.id)
        }
    }

    private static func id(_ load: UInt64) -> UInt64 { 2 * load }

    private mutating func add(_ load: TimelineLoad, at now: Duration) {
        prune(at: now)
        if loads.count >= limit, let oldest = ended.popFirst() { loads[oldest] = nil }
        guard loads.count < limit else { return }
        loads[load.id] = load
        loads[load.id]?.revision = revision
    }

    private mutating func prune(at now: Duration) {
        while let id = ended.first, let end = loads[id]?.end, end + Self.time < now {
            _ = ended.popFirst()
            loads[id] = nil
        }
        let stale = unloaded.prefix { $0.end.map { $0 + Self.time < now } ?? true }.count
        if stale > 0 { unloaded.removeFirst(stale) }
    }

    /// Counts the end of a load; returns `false` for other events.
    private mutating func count(_ kind: PipelineEvent.Kind) -> Bool {
        switch kind {
        case .finished(let origin):
            counts.finished += 1
            switch origin {
            case .memory: counts.memory += 1
            case .store: counts.store += 1
            case .revalidated: counts.revalidated += 1
            case .own: counts.own += 1
            case .shared: counts.shared += 1
            }
        case .failed: counts.failed += 1
        case .cancelled: counts.cancelled += 1
        case .started, .requested, .received, .decoding, .storeFailed: return false
        }
        return true
    }
}
