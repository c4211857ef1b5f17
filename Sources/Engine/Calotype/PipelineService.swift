import CalotypeCore
import TaskFlow

/// The owner of a pipeline that lives as long as the process, or as long as somebody lets it run.
///
/// ```swift
/// let service = PipelineService()
/// try await withThrowingTaskGroup(of: Void.self) { group in
///     group.addTask { try await service.run() }
///     let picture = try await service.pipeline.rendition(for: request)
///     print(picture.size)
///     await service.shutdown()
///     try await group.waitForAll()
/// }
/// ```
public final class PipelineService: Sendable {
    private enum Phase {
        case idle, running, ended
    }

    private let configuration: PipelineConfiguration
    private let phase = Guarded(Phase.idle)
    private let ready = Latch<ImagePipeline?>()
    private let stop = Latch<Void>()
    private let quiet = Latch<Void>()

    /// Creates a service that does nothing until ``run()``.
    public init(_ configuration: PipelineConfiguration = PipelineConfiguration()) {
        self.configuration = configuration
    }

    /// The pipeline, once ``run()`` has set it up; waits until then.
    ///
    /// - Throws: `pipeline_closed` after the end; `CancellationError`, at once, when cancelled while waiting.
    public var pipeline: ImagePipeline {
        get async throws {
            guard let pipeline = try await ready.wait(), phase.withLock({ $0 }) == .running else {
                throw Self.closed
            }
            return pipeline
        }
    }

    /// Runs the pipeline until ``shutdown()`` or until the calling task is cancelled; returns when all is quiet.
    ///
    /// - Throws: why the pipeline could not be set up; `CancellationError` when cancelled; `pipeline_closed` when it runs
    ///   or has run already.
    public func run() async throws {
        let isFirst = phase.withLock { phase in
            guard phase == .idle else { return false }
            phase = .running
            return true
        }
        guard isFirst else { throw Self.closed }
        defer { end() }
        try await withImagePipeline(configuration) { pipeline in
            ready.set(pipeline)
            try await stop.wait()
        }
    }

    /// Ends the pipeline, and returns when all of it is quiet; a service that never ran will not run.
    public func shutdown() async {
        stop.set(())
        let hasRun = phase.withLock { phase in
            defer { if phase == .idle { phase = .ended } }
            return phase != .idle
        }
        guard hasRun else { return end() }
        await quiet.waitUncancelled()
    }

    private func end() {
        phase.withLock { $0 = .ended }
        ready.set(nil)
        quiet.set(())
    }

    private static var closed: CalotypeError {
        CalotypeError(.pipelineClosed, "the pipeline runs already or has ended", stage: .request)
    }
}
