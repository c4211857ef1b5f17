package import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// Runs `body` with a pipeline.
///
/// Returns when all of the pipeline's work has ended.
///
/// When `body` returns, throws or is cancelled, the remaining loads are cancelled and awaited. Background
/// work, such as writes to the store, is awaited when `body` returns, and cancelled otherwise. Afterwards no
/// task, socket, thread, temporary file or permit of the pipeline remains.
///
/// - Parameters:
///   - configuration: the resources and behaviour of the pipeline.
///   - body: uses the pipeline.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws, or the reason why the pipeline could not be set up.
public func withImagePipeline<Output>(
    _ configuration: PipelineConfiguration = PipelineConfiguration(),
    _ body: (ImagePipeline) async throws -> Output
) async throws -> Output {
    try await withImageCodec(configuration.codec, executor: configuration.executor) { codec in
        try await withImagePipeline(configuration, codec: codec, body)
    }
}

/// Runs `body` with a pipeline.
///
/// The caller owns the codec and ends it.
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
        // Nothing is written beside a newer cache either.
        if store.snapshot.isNewer { configuration.diskCache = nil }
        return try await withOpenPipeline(configuration, codec: codec, body)
    }
}

/// Runs `body` with a pipeline whose store, if any, is open.
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

/// Owns a pipeline that runs as long as the process, or until it is shut down.
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

    /// Creates a service.
    ///
    /// It does nothing until ``run()`` is called.
    public init(_ configuration: PipelineConfiguration = PipelineConfiguration()) {
        self.configuration = configuration
    }

    /// The pipeline.
    ///
    /// Waits until ``run()`` has set it up.
    ///
    /// - Throws: `pipeline_closed` after the end; `CancellationError`, immediately, if cancelled while
    ///   waiting.
    public var pipeline: ImagePipeline {
        get async throws {
            guard let pipeline = try await ready.wait(), phase.withLock({ $0 }) == .running else {
                throw Self.closed
            }
            return pipeline
        }
    }

    /// Runs the pipeline until ``shutdown()`` is called or the task is cancelled.
    ///
    /// Returns when all work has ended.
    ///
    /// - Throws: the reason why the pipeline could not be set up; `CancellationError` if cancelled;
    ///   `pipeline_closed` if it is running or has already run.
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

    /// Ends the pipeline and returns when all its work has ended.
    ///
    /// A service that never ran cannot run any more.
    public func shutdown() async {
        if beginShutdown() { await quiet.waitUncancelled() }
    }

    /// Tells the pipeline to end, and returns at once; ``run()`` returns when all work has ended.
    ///
    /// It suits the handlers of service lifecycles, which are synchronous.
    ///
    /// - Returns: Whether the service has run.
    @discardableResult
    public func beginShutdown() -> Bool {
        stop.set(())
        let hasRun = phase.withLock { phase in
            defer { if phase == .idle { phase = .ended } }
            return phase != .idle
        }
        if !hasRun { end() }
        return hasRun
    }

    private func end() {
        phase.withLock { $0 = .ended }
        ready.set(nil)
        quiet.set(())
    }

    private static var closed: CalotypeError {
        CalotypeError(.pipelineClosed, "the pipeline is already running or has ended", stage: .request)
    }
}
