import CalotypeCore
import TaskFlow

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
