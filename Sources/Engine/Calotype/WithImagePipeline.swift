package import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// Runs `body` with a pipeline, and returns when all of the pipeline's work has ended.
///
/// When `body` returns, throws or is cancelled, loads still under way are cancelled and awaited. Work in the background,
/// such as writes to the store, is waited for when `body` returns, and cancelled otherwise. No task, socket, thread,
/// temporary file or permit of the pipeline is left.
///
/// - Parameters:
///   - configuration: limits and manners.
///   - body: uses the pipeline.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws, or why the pipeline could not be set up.
public func withImagePipeline<Output>(
    _ configuration: PipelineConfiguration = PipelineConfiguration(),
    _ body: (ImagePipeline) async throws -> Output
) async throws -> Output {
    try await withImageCodec(configuration.codec, executor: configuration.executor) { codec in
        try await withImagePipeline(configuration, codec: codec, body)
    }
}

/// Runs `body` with a pipeline over a codec that somebody else ends.
package func withImagePipeline<Output>(
    _ configuration: PipelineConfiguration,
    codec: any ImageCoding,
    _ body: (ImagePipeline) async throws -> Output
) async throws -> Output {
    guard configuration.store == nil, let cache = configuration.diskCache else {
        return try await withOpenPipeline(configuration, codec: codec, body)
    }
    return try await withDiskCache(cache) { store in
        var configuration = configuration
        configuration.store = store
        // Nor is anything written beside it.
        if store.snapshot.isNewer { configuration.diskCache = nil }
        return try await withOpenPipeline(configuration, codec: codec, body)
    }
}

/// Runs `body` with a pipeline whose store is open, if it has one.
private func withOpenPipeline<Output>(
    _ configuration: PipelineConfiguration,
    codec: any ImageCoding,
    _ body: (ImagePipeline) async throws -> Output
) async throws -> Output {
    try await withTransport(configuration) { transport in
        try await withDisk(configuration) { disk in
            try await withPictureMemory(configuration) { memory in
                try await withTaskScope(ending: .drain, executor: configuration.executor) { background in
                    try await withTaskScope(executor: configuration.executor) { scope in
                        let pipeline = ImagePipeline(
                            configuration,
                            transport: transport,
                            codec: codec,
                            disk: disk,
                            memory: memory,
                            scope: scope,
                            background: background
                        )
                        defer { pipeline.close() }
                        return try await body(pipeline)
                    }
                }
            }
        }
    }
}

private func withTransport<Output>(
    _ configuration: PipelineConfiguration,
    _ body: (any HTTPTransporting) async throws -> Output
) async throws -> Output {
    if let exchange = configuration.exchange { return try await body(exchange) }
    return try await withCurlTransport(configuration.transport) { try await body($0) }
}

private func withDisk<Output>(
    _ configuration: PipelineConfiguration,
    _ body: (any TaskExecutor) async throws -> Output
) async throws -> Output {
    if let executor = configuration.executor { return try await body(executor) }
    return try await withThreadExecutor(name: "spool", threads: 1) { try await body($0) }
}

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
