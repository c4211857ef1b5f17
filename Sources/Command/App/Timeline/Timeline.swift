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
