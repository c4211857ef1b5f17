package import CalotypeCodec
public import CalotypeCore
import CalotypeFiles
package import CalotypeHTTP
import Synchronization
import TaskFlow

/// Loads, decodes, resizes and caches pictures for all callers that share it.
///
/// Get a pipeline from ``withImagePipeline(_:_:)`` or ``PipelineService``. The pipeline only coordinates: the
/// transport's thread receives bytes, and the codec's threads decode pictures. Concurrent callers that want
/// the same result share one flight at every stage (download, decode, picture). A flight stops when its last
/// caller is cancelled. After its scope ends, a pipeline throws `pipeline_closed`.
public final class ImagePipeline: Sendable {
    let codec: any ImageCoding
    /// Sends requests to origins; layers above the pipeline share its connections and their limits.
    package let client: HTTPClient
    /// The threads that read and write files.
    package let disk: any TaskExecutor
    let sourceMemory: SourceMemory
    let intake: SourceIntake
    let judge: CacheJudge
    let sources: SourceStage
    let decodes: DecodeStage
    let pictures: PictureStage
    /// Owns the tasks that the pipeline and the layers above it start.
    package let scope: TaskScope
    let background: BackgroundWork
    let removals: SourceRemovals
    let store: WriteBehind?
    /// Stores derived values that are not pictures; `nil` if none are stored.
    let derivations: DerivedStore?
    let configuration: PipelineConfiguration
    private let observer: PipelineObserver?
    let clock: Stopwatch
    private let isClosed = Atomic(false)
    private let crowd = LoadCrowd()

    init(
        _ configuration: PipelineConfiguration,
        transport: any HTTPTransporting,
        codec: any ImageCoding,
        disk: any TaskExecutor,
        memory: PictureMemory,
        scope: TaskScope,
        background: TaskScope
    ) {
        self.configuration = configuration
        self.codec = codec
        self.disk = disk
        self.scope = scope
        self.background = BackgroundWork(scope: background)
        let clock = Stopwatch(configuration.clock)
        self.clock = clock
        judge = CacheJudge(configuration)
        client = HTTPClient(
            transport,
            limits: configuration.clientLimits,
            accepts: configuration.acceptsURL ?? { _ in true },
            admit: configuration.admit ?? { _, _ in },
            sendsTraceContext: configuration.sendsTraceContext
        )
        sourceMemory = SourceMemory(configuration.encodedBytes, connections: configuration.connections)
        intake = SourceIntake(codec, disk: disk, configuration)
        observer = configuration.observer.map { PipelineObserver(clock, $0) }
        let store = configuration.store.map {
            WriteBehind($0, background: background, clock: configuration.clock)
        }
        let pictureStore = configuration.stores.contains(.renditions) ? store : nil
        let changes = SourceChanges { [cache = memory.cache] source in
            cache.removeMembers(of: RenditionKey.family(of: source)) { $0.sourceIdentity == source }
        }
        removals = changes.removals
        sources = SourceStage(
            SourceLoader(
                client,
                memory: sourceMemory,
                intake: intake,
                judge: judge,
                disk: disk,
                clock: clock,
                configuration: configuration
            ),
            kept: StoredSources(
                store.map { SourceStore(store: $0, headers: configuration.headers) },
                configuration.stores,
                judge,
                changes
            ),
            changes: changes,
            clock: clock,
            scope: scope
        )
        decodes = DecodeStage(codec, sources: sources, changes: changes, clock: clock, scope: scope)
        let kept = StoredPictures(
            memory: memory,
            store: pictureStore.map { [judge] in
                PictureStore(
                    store: $0,
                    judge: judge,
                    headers: configuration.headers,
                    decoders: Set(configuration.codec.decoders.map(\.identifier))
                )
            },
            changes: changes
        )
        pictures = PictureStage(
            decodes,
            sources: sources,
            kept: kept,
            judge: judge,
            changes: changes,
            clock: clock,
            scope: scope
        )
        self.store = store
        // A hook may change a request, so the derived value's key is not known in advance.
        derivations =
            configuration.prepare == nil
            ? pictureStore.map { [judge] in
                DerivedStore(store: $0, changes: changes, judge: judge, headers: configuration.headers)
            } : nil
    }

    /// Returns the rendition for `request`: encoded bytes, and facts about them.
    ///
    /// - Throws: `CalotypeError`, with the cost of the load in ``CalotypeError/load``; `CancellationError` if
    ///   the task is cancelled.
    public func rendition(for request: ImageRequest) async throws -> Rendition {
        try await load(request)
    }

    /// Returns the rendition for `request`, as ``rendition(for:)`` does.
    ///
    /// - Throws: `CalotypeError`; `CancellationError` if the task is cancelled.
    public func load(_ request: ImageRequest) async throws -> Rendition {
        try await load(request, priority: LivePriority(request))
    }

    /// Decodes the picture for `request` to pixels, ignoring the request's output format.
    ///
    /// - Throws: `CalotypeError`; `CancellationError` if the task is cancelled.
    public func bitmap(for request: ImageRequest) async throws -> Bitmap {
        try await bitmap(for: request, priority: LivePriority(request))
    }

    /// Whether the pipeline accepts no more loads.
    package var hasEnded: Bool { isClosed.load(ordering: .acquiring) }

    static var closedError: CalotypeError {
        CalotypeError(.pipelineClosed, "the pipeline's scope has ended", stage: .request)
    }

    /// Stops accepting loads; the scope ends those in progress.
    func close() {
        isClosed.store(true, ordering: .releasing)
        pictures.forgetAll()
        sources.forgetAll()
    }

    func load(
        _ request: ImageRequest,
        priority: LivePriority,
        watch: SourceFeed.Observer? = nil
    ) async throws -> Rendition {
        try await picture(PictureQuery(request), priority: priority, watch: watch).rendition
    }

    /// Returns the picture, with the time that the whole load took.
    func picture(
        _ query: PictureQuery,
        priority: LivePriority,
        watch: SourceFeed.Observer? = nil
    ) async throws -> Picture {
        let start = clock.now
        do {
            return try await picture(query, priority, watch).timed(clock.now - start)
        } catch let error as CalotypeError {
            throw error.timed(clock.now - start)
        }
    }

    func bitmap(
        for request: ImageRequest,
        priority: LivePriority,
        watch: SourceFeed.Observer? = nil
    ) async throws -> Bitmap {
        try await picture(PictureQuery(request, .pixels(request.transform)), priority, watch).bitmap
    }

    private func picture(
        _ query: PictureQuery,
        _ priority: LivePriority,
        _ watch: SourceFeed.Observer?
    ) async throws -> Picture {
        try await perform(query.request) { prepared in
            var next = configuration.prepare == nil ? query : query.prepared(prepared)
            if next.absence == nil, let found = pictures.cached(&next, orLarger: prepared.allowsLarger) {
                return (found, LoadResult(.memory, [found]))
            }
            priority.follow(prepared, from: query.request)
            let found = try await watching(prepared, watch) { [next] in
                try await pictures.picture(next, priority: priority)
            }
            return (found, LoadResult(found))
        }
    }

    /// Runs `body` while `watch`, if any, observes the arrival of the source of `request`.
    private func watching<Output>(
        _ request: ImageRequest,
        _ watch: SourceFeed.Observer?,
        _ body: () async throws -> Output
    ) async throws -> Output {
        guard let watch else { return try await body() }
        return try await sources.observing(try SourceKey(request), watch, during: body)
    }

    /// Runs one load: notifies the observer, prepares and checks the request, and enforces its deadline.
    func perform<Output: Sendable>(
        _ request: ImageRequest,
        for subject: PipelineEvent.Subject = .picture,
        _ body: @Sendable (ImageRequest) async throws -> (Output, LoadResult)
    ) async throws -> Output {
        crowd.loadBegan()
        defer { if crowd.loadEnded() { returnMemory() } }
        return try await LoadEvents.telling(observer, configuration.trace, for: subject, of: request) {
            do {
                guard !hasEnded else { throw Self.closedError }
                let prepared = try await prepare(request)
                try prepared.validate()
                guard let deadline = prepared.deadline else {
                    return try await TaskTrace.withLane { try await body(prepared) }
                }
                return try await withoutActuallyEscaping(body) { body in
                    try await within(deadline) {
                        try await TaskTrace.withLane { try await body(prepared) }
                    }
                }
            } catch let error {
                throw Self.translated(error, request)
            }
        }
    }

    private func returnMemory() {
        // After the scope has ended, so does the process or the part of it that loads pictures.
        _ = try? scope.start(name: "return memory", priority: .background, executor: disk) {
            FreedMemory.returnToSystem()
        }
    }

    /// Returns the request that the hook, if any, makes of `request`.
    func prepare(_ request: ImageRequest) async throws -> ImageRequest {
        guard let prepare = configuration.prepare else { return request }
        let result: Result<ImageRequest, any Error>
        do {
            result = .success(try await within(request.deadline) { try await prepare(request) })
        } catch {
            result = .failure(error)
        }
        // A hook that ignores cancellation returns late, possibly with an error of its own.
        try Task.checkCancellation()
        return try result.get()
    }

    private func within<Output: Sendable>(
        _ deadline: ContinuousClock.Instant?,
        _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        guard let deadline else { return try await body() }
        do {
            let rest = ContinuousClock.now.duration(to: deadline)
            return try await withTimeout(rest, clock: configuration.clock, operation: body)
        } catch TaskFlowError.Code.deadlineExceeded {
            throw CalotypeError(.timeoutTotal, "the request's deadline has passed", stage: .request)
        }
    }

    private static func translated(_ error: any Error, _ request: ImageRequest) -> any Error {
        switch error {
        case let error as CalotypeError:
            return error.ofLoad.at(request.source.displayName)
        case TaskFlowError.Code.scopeEnded:
            return closedError.ofLoad
        case is CancellationError:
            return error
        default:
            return CalotypeError(
                .prepareFailed,
                "the request could not be prepared: \(error)",
                stage: .request,
                url: request.source.displayName,
                cause: error
            )
            .ofLoad
        }
    }
}

extension ImagePipeline {
    /// The codec's current load.
    package var decodeLoad: CodecLoad { codec.load }
}
