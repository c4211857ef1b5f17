public import CalotypeCore
import TaskFlow

/// Something that happened in a pipeline, for logs and metrics.
///
/// A load reports `started` first, and one of `finished`, `failed` and `cancelled` last. In between it
/// reports, if they apply and in this order, `requested` for each attempt, `received` and `decoding`. If
/// several loads share work, the load that started it reports it. If that load is cancelled while others
/// wait, the work is still reported under its number, after `cancelled`. A store that cannot take a picture
/// is reported in the background, usually after `finished`.
public struct PipelineEvent: Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// A caller requests a picture or its bytes.
        case started
        /// A request is about to wait for its turn and be sent. Attempts count from 1.
        case requested(attempt: Int)
        /// The source is complete.
        case received(ByteCount)
        /// A decode for this many pictures begins.
        case decoding(pictures: Int)
        /// The load has its result: from a cache, from work that it started, or shared with another load.
        case finished(Origin)
        /// The load failed.
        case failed(ErrorCode)
        /// The load's caller was cancelled.
        case cancelled
        /// The store failed to read or write a picture. The load continues without it.
        case storeFailed
    }

    /// The origin of a load's result.
    public enum Origin: Hashable, Sendable {
        /// The memory cache had it.
        case memory
        /// The store had it.
        case store
        /// The memory cache or the store had it, and the origin confirmed that it is current.
        case revalidated
        /// The load did the work itself.
        ///
        /// Source bytes always count as this, even if another load started the download.
        case own
        /// Another load had started the work.
        case shared
    }

    /// The purpose of a load.
    public enum Subject: Hashable, Sendable {
        /// A picture, its bytes, or the facts in its header.
        case picture
        /// A document, see ``ImagePipeline/document(for:read:)``.
        case document
    }

    /// The load's number, from 1 in each pipeline.
    public let load: UInt64
    /// The purpose of the load.
    public let subject: Subject
    /// The request as the caller made it, with its ``ImageRequest/userInfo``.
    public let request: ImageRequest
    /// What happened.
    public let kind: Kind
    /// How long the load has taken so far.
    public let duration: Duration
    /// The attempts, the time in each stage and the use of the cache; `nil` before the end, if the load was
    /// cancelled, and for pixels and ``ImagePipeline/storeSource(of:)``.
    public let details: LoadDetails?
    /// The size of the result; `nil` where ``details`` is, and for a failure.
    public let resultBytes: ByteCount?

    init(
        load: UInt64,
        for subject: Subject = .picture,
        of request: ImageRequest,
        kind: Kind,
        duration: Duration = .zero,
        result: LoadResult? = nil
    ) {
        self.load = load
        self.subject = subject
        self.request = request
        self.kind = kind
        self.duration = duration
        details = result?.details?.timed(duration)
        resultBytes = result?.bytes
    }

    /// The source's URL without credentials, its path, or its provider's name; `nil` for bytes.
    public var source: String? { request.source.displayName }
}

extension LoadDetails {
    /// The details with the time of the whole load.
    fileprivate func timed(_ total: Duration) -> LoadDetails {
        var details = self
        details.timings.total = total
        return details
    }
}

/// What a load reports about its result.
struct LoadResult: Sendable {
    let origin: PipelineEvent.Origin
    var details: LoadDetails?
    var bytes: ByteCount?

    init(_ origin: PipelineEvent.Origin) {
        self.origin = origin
    }

    init(_ error: CalotypeError) {
        self.init(.own)
        details = error.load
    }

    init(_ picture: Picture) {
        self.init(picture.provenance.origin, [picture])
    }

    /// Pictures that were made together; their costs are those of the first.
    init(_ origin: PipelineEvent.Origin, _ pictures: [Picture]) {
        self.origin = origin
        let renditions = pictures.compactMap(\.content.rendition)
        guard let first = renditions.first else { return }
        bytes = ByteCount(renditions.reduce(0) { $0 + $1.bytes.count })
        details = LoadDetails(
            attempts: first.attempts,
            timings: first.timings,
            source: first.source,
            cache: first.cache
        )
    }

    init(_ origin: PipelineEvent.Origin, _ source: SourceReceipt) {
        self.origin = origin
        bytes = source.byteCount
        details = LoadDetails(
            attempts: source.attempts,
            timings: source.timings,
            source: source.facts,
            cache: source.cache
        )
    }
}

/// Numbers the loads for the observer's closure.
final class PipelineObserver: Sendable {
    private let tell: @Sendable (PipelineEvent) -> Void
    private let lastLoad = Guarded<UInt64>(0)

    private let clock: Stopwatch

    init(_ clock: Stopwatch, _ tell: @escaping @Sendable (PipelineEvent) -> Void) {
        self.clock = clock
        self.tell = tell
    }

    func events(for subject: PipelineEvent.Subject, _ request: ImageRequest) -> LoadEvents {
        let load = lastLoad.withLock { lastLoad in
            lastLoad += 1
            return lastLoad
        }
        return LoadEvents(
            load: load,
            subject: subject,
            request: request,
            clock: clock,
            start: clock.now,
            observer: tell
        )
    }
}

/// Reports one load's events to the pipeline's observer.
///
/// The tasks that work for the load inherit it.
struct LoadEvents: Sendable {
    @TaskLocal private static var current: LoadEvents?

    let load: UInt64
    let subject: PipelineEvent.Subject
    let request: ImageRequest
    let clock: Stopwatch
    let start: Duration
    let observer: @Sendable (PipelineEvent) -> Void

    /// Reports to the observer, if there is one, about the load that the current task works for.
    static func emit(_ kind: PipelineEvent.Kind) {
        current?.tell(kind)
    }

    /// Runs `body` as a load, and reports its beginning and end to `observer`.
    ///
    /// The load's spans carry its number. They go to `trace` if the task has no recorder.
    static func telling<Output>(
        _ observer: PipelineObserver?,
        _ trace: TraceRecorder?,
        for subject: PipelineEvent.Subject,
        of request: ImageRequest,
        _ body: () async throws -> (Output, LoadResult)
    ) async throws -> Output {
        guard let observer else { return try await TaskTrace.withItem(nil, recordingTo: trace, body).0 }
        let events = observer.events(for: subject, request)
        events.tell(.started)
        do {
            let (output, result) = try await $current.withValue(events) {
                try await TaskTrace.withItem(events.load, recordingTo: trace, body)
            }
            events.tell(.finished(result.origin), result)
            return output
        } catch {
            events.tell(end(error), (error as? CalotypeError).map { LoadResult($0) })
            throw error
        }
    }

    private static func end(_ error: any Error) -> PipelineEvent.Kind {
        switch error {
        case let error as CalotypeError: .failed(error.code)
        default: .cancelled
        }
    }

    private func tell(_ kind: PipelineEvent.Kind, _ result: LoadResult? = nil) {
        observer(
            PipelineEvent(
                load: load,
                for: subject,
                of: request,
                kind: kind,
                duration: clock.now - start,
                result: result
            )
        )
    }
}
