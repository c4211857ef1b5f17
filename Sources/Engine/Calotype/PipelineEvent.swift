public import CalotypeCore
import TaskFlow

/// Something that happened in a pipeline, for logs and metrics.
///
/// A load tells `started` first and one of `finished`, `failed`, `cancelled` last. Between them come, where they apply
/// and in this order: `requested` for each attempt, `received`, `decoding`. Work that several loads share is told once, by
/// the load that started it; when that load is cancelled and others go on waiting, it is still told under its number, after
/// `cancelled`. A store that cannot take a picture is told in the background, mostly after `finished`.
public struct PipelineEvent: Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// A caller asks for a picture or its bytes.
        case started
        /// A request is about to wait for its turn and be sent; attempts count from 1.
        case requested(attempt: Int)
        /// The source is complete.
        case received(ByteCount)
        /// A decode for this many pictures begins.
        case decoding(pictures: Int)
        /// The load has its result: from the cache, from work it had started, or shared with another load.
        case finished(Origin)
        /// The load failed.
        case failed(ErrorCode)
        /// The load's caller was cancelled.
        case cancelled
        /// The store could not give or take a picture; the load goes on without it.
        case storeFailed
    }

    /// Where a load's result came from.
    public enum Origin: Hashable, Sendable {
        /// The memory cache had it.
        case memory
        /// The store had it.
        case store
        /// The memory cache or the store had it, and the origin said that it is still right.
        case revalidated
        /// It was made for this load. Source bytes are told so too, whoever had started their download.
        case own
        /// It was made by work that another load had started.
        case shared
    }

    /// What a load is for.
    public enum Subject: Hashable, Sendable {
        /// A picture, its bytes, or what its header tells.
        case picture
        /// A document, see ``ImagePipeline/document(for:read:)``.
        case document
    }

    /// The load's number, from 1 in each pipeline.
    public let load: UInt64
    /// What the load is for.
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

/// Counts loads for the closure that is told about them.
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

/// One load's voice towards the pipeline's observer; it goes with the tasks that work for the load.
struct LoadEvents: Sendable {
    @TaskLocal private static var current: LoadEvents?

    let load: UInt64
    let subject: PipelineEvent.Subject
    let source: ImageSource
    let observer: @Sendable (PipelineEvent) -> Void

    /// Tells the observer, if there is one, about the load that the current task works for.
    static func emit(_ kind: PipelineEvent.Kind) {
        current?.tell(kind)
    }

    /// Runs `body` as a load whose beginning and end are told to `observer`, and whose spans carry its number; they go to `trace`
    /// where the task has no recorder.
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
        case let failure as LoadError: .failed(failure.error.code)
        case let error as CalotypeError: .failed(error.code)
        default: .cancelled
        }
    }

    private func tell(_ kind: PipelineEvent.Kind) {
        observer(PipelineEvent(load: load, for: subject, of: source, kind: kind))
    }
}
