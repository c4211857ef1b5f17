import Calotype
import TaskFlow

/// What the pipeline does now and did in the last minute, fed by its events and the spans of its trace.
///
/// It is kept whether or not somebody looks; a change costs a lock and an entry in a table.
final class Timeline: Sendable {
    /// The loads that have changed, and where to go on from.
    struct Changes: Sendable {
        let now: Duration
        let loads: [TimelineLoad]
        let counts: TimelineRecord.Counts
        let revision: UInt64
    }

    private let recorder: TraceRecorder
    private let record: Guarded<TimelineRecord>

    /// Creates a timeline that is told of what `recorder` records from now on.
    ///
    /// - Parameters:
    ///   - recorder: Measures its time too.
    ///   - limit: The most loads that are kept.
    init(_ recorder: TraceRecorder, limit: Int = 4096) {
        self.recorder = recorder
        record = Guarded(TimelineRecord(limit: limit))
        recorder.observe { [record] notice in record.withLock { $0.note(notice) } }
    }

    /// Takes what the pipeline tells.
    func note(_ event: PipelineEvent) {
        let source = event.kind == .started ? event.source : nil
        let now = recorder.now
        record.withLock { $0.note(event, of: source, at: now) }
    }

    /// The time on its clock.
    var now: Duration { recorder.now }

    /// Takes what a cache answered, which was no load of the pipeline's; its source is asked for where it is kept.
    func noteUnloaded(
        _ origin: PipelineEvent.Origin,
        since start: Duration? = nil,
        of source: () -> String
    ) {
        let now = now
        guard record.withLock({ $0.countUnloaded(origin, at: now) }) else { return }
        let name = source()
        record.withLock { $0.add(unloaded: name, origin, since: start ?? now, at: now) }
    }

    /// The count of changes so far.
    var revision: UInt64 { record.withLock { $0.revision } }

    /// What has changed after `revision`; all that is kept, for 0.
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

/// What the timeline keeps: the loads of the last minute, and counts since the start.
///
/// It is bounded: where there is no more room, the oldest load gives way that has ended; where all go on, new ones are not kept. What
/// caches answered is kept for the same minute, so many each second.
struct TimelineRecord: Sendable {
    /// Loads by how they ended, and by where what they gave came from.
    struct Counts: Hashable, Sendable, Encodable {
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
    /// Of what caches answer without a load so many are kept one by one, and so many more each second; all are counted.
    private static let unloadedAtOnce = 50.0
    private static let unloadedEachSecond = 8.0

    private let limit: Int
    private var loads: [UInt64: TimelineLoad] = [:]
    private var ended = FIFO<UInt64>()
    /// What caches answered; a flood of it leaves the loads their room.
    private var unloaded: [TimelineLoad] = []
    private var lastUnloaded: UInt64 = 0
    private var unloadedRoom = Self.unloadedAtOnce
    private var unloadedTime = Duration.zero
    private(set) var counts = Counts()
    /// Grows with each change.
    private(set) var revision: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes what the pipeline tells of one of its loads; `source` counts where the load begins.
    mutating func note(_ event: PipelineEvent, of source: String?, at now: Duration) {
        let id = Self.id(event.load)
        revision += 1
        if event.kind == .started {
            add(TimelineLoad(id, of: source, for: event.subject, at: now), at: now)
        } else {
            loads[id]?.note(event.kind, at: now)
            loads[id]?.revision = revision
        }
        if count(event.kind), loads[id] != nil { ended.append(id) }
    }

    /// Takes what the trace tells of one of its loads.
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

    /// Counts what a cache answered, which was no load of the pipeline's.
    ///
    /// - Returns: Whether there is room to keep it: ``add(unloaded:_:since:at:)``.
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

    /// Keeps what a cache answered.
    mutating func add(
        unloaded source: String,
        _ origin: PipelineEvent.Origin,
        since start: Duration,
        at now: Duration
    ) {
        lastUnloaded += 1
        // Those of the pipeline have even numbers.
        var load = TimelineLoad(2 * lastUnloaded + 1, of: source, for: .picture, at: start)
        load.note(.finished(origin), at: now)
        load.revision = revision
        unloaded.append(load)
    }

    /// The loads that have changed after `revision`, the oldest first.
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

    /// Counts an end; false for what is none.
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
