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
    /// What happened.
    public let kind: Kind
    private let origin: ImageSource

    init(load: UInt64, for subject: Subject = .picture, of source: ImageSource, kind: Kind) {
        self.load = load
        self.subject = subject
        self.kind = kind
        origin = source
    }

    /// The source's URL without credentials, its path, or its provider's name; `nil` for bytes.
    public var source: String? { origin.displayName }
}

/// Numbers the loads for the observer's closure.
final class PipelineObserver: Sendable {
    private let tell: @Sendable (PipelineEvent) -> Void
    private let lastLoad = Guarded<UInt64>(0)

    init(_ tell: @escaping @Sendable (PipelineEvent) -> Void) {
        self.tell = tell
    }

    func events(for subject: PipelineEvent.Subject, _ request: ImageRequest) -> LoadEvents {
        let load = lastLoad.withLock { lastLoad in
            lastLoad += 1
            return lastLoad
        }
        return LoadEvents(load: load, subject: subject, source: request.source, observer: tell)
    }
}

/// Reports one load's events to the pipeline's observer.
///
/// The tasks that work for the load inherit it.
struct LoadEvents: Sendable {
    @TaskLocal private static var current: LoadEvents?

    let load: UInt64
    let subject: PipelineEvent.Subject
    let source: ImageSource
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
        _ body: () async throws -> (Output, PipelineEvent.Origin)
    ) async throws -> Output {
        guard let observer else { return try await TaskTrace.withItem(nil, recordingTo: trace, body).0 }
        let events = observer.events(for: subject, request)
        events.tell(.started)
        do {
            let (output, origin) = try await $current.withValue(events) {
                try await TaskTrace.withItem(events.load, recordingTo: trace, body)
            }
            events.tell(.finished(origin))
            return output
        } catch {
            events.tell(end(error))
            throw error
        }
    }

    private static func end(_ error: any Error) -> PipelineEvent.Kind {
        switch error {
        case let error as CalotypeError: .failed(error.code)
        default: .cancelled
        }
    }

    private func tell(_ kind: PipelineEvent.Kind) {
        observer(PipelineEvent(load: load, for: subject, of: source, kind: kind))
    }
}
