import CalotypeCore
import TaskFlow

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
        case let failure as LoadFailure: .failed(failure.error.code)
        case let error as CalotypeError: .failed(error.code)
        default: .cancelled
        }
    }

    private func tell(_ kind: PipelineEvent.Kind) {
        observer(PipelineEvent(load: load, for: subject, of: source, kind: kind))
    }
}
