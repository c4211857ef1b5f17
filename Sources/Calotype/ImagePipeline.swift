import CalotypeCodec
public import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// The way from a source to renditions of it, shared by everyone who wants pictures.
///
/// Get one from ``withImagePipeline(_:_:)``. It decides and never works: bytes come from the transport's thread,
/// pictures are decoded on the codec's. Callers who want the same rendition at the same time share one flight; it stops
/// when the last of them is cancelled.
public final class ImagePipeline: Sendable {
    private let codec: any ImageCoding
    private let sources: SourceLoader
    let scope: TaskScope
    private let flights: Coalescer<RenditionKey, Rendition>

    init(codec: any ImageCoding, sources: SourceLoader, scope: TaskScope) {
        self.codec = codec
        self.sources = sources
        self.scope = scope
        flights = Coalescer(scope: scope, name: "rendition")
    }

    /// What the pipeline holds now.
    public var snapshot: PipelineSnapshot {
        let memory = sources.memory.snapshot
        return PipelineSnapshot(
            flights: flights.flightCount,
            tasks: scope.activeCount,
            encodedBytes: ByteCount(memory.used),
            waitingForMemory: memory.waiting
        )
    }

    /// Makes the rendition that `request` asks for.
    ///
    /// - Throws: `CalotypeError`; `CancellationError` when the task is cancelled.
    public func rendition(for request: ImageRequest) async throws -> Rendition {
        do {
            return try await load(request)
        } catch let failure as LoadFailure {
            throw failure.error
        }
    }

    /// Makes the rendition that `request` asks for; a failure tells what the load had cost.
    ///
    /// - Throws: `LoadFailure`; `CancellationError` when the task is cancelled.
    public func load(_ request: ImageRequest) async throws -> Rendition {
        let clock = ContinuousClock()
        let start = clock.now
        do {
            try request.validate()
            var rendition = try await TaskTrace.withLane {
                try await flights.value(for: RenditionKey(request), priority: request.priority) {
                    try await self.make(request, priority: $0.priority)
                }
            }
            rendition.timings.total = start.duration(to: clock.now)
            return rendition
        } catch var failure as LoadFailure {
            failure.timings.total = start.duration(to: clock.now)
            throw failure
        } catch let error as CalotypeError {
            throw LoadFailure(error)
        } catch is TaskScopeEnded {
            throw LoadFailure(
                CalotypeError(.pipelineClosed, "the pipeline's scope has ended", stage: .request)
            )
        }
    }

    /// Tells what the picture in `source` is; nothing of it is decoded.
    ///
    /// - Throws: `CalotypeError`; `CancellationError` when the task is cancelled.
    public func info(of source: ImageSource, limits: ImageLimits = ImageLimits()) async throws -> SourceInfo {
        let loaded = try await sources.load(
            source,
            limits: limits,
            priority: LivePriority(),
            meter: LoadMeter()
        )
        defer { loaded.release() }
        return SourceInfo(facts: try await codec.facts(of: loaded.input), bytes: loaded.byteCount)
    }

    private func make(_ request: ImageRequest, priority: LivePriority) async throws -> Rendition {
        let meter = LoadMeter()
        do {
            let source = try await sources.load(
                request.source,
                limits: request.limits,
                priority: priority,
                meter: meter
            )
            defer { source.release() }
            let coded = try await codec.renditions(
                of: source.input,
                as: [RenditionSpec(request.transform, request.output)],
                limits: request.limits,
                priority: priority
            )
            guard let coded = coded.first else { preconditionFailure("a codec gave no rendition for a spec") }
            LoadTrace.record(coded)
            return meter.rendition(coded, sourceBytes: source.byteCount)
        } catch let error as CalotypeError {
            throw meter.failure(error.at(request.source.displayName))
        }
    }
}
