public import CalotypeCore
public import TaskFlow

/// The codec on its own threads: fast paths for common JPEG, PNG and WebP files, libvips for everything else.
///
/// Animated pictures produce their first frame, upright, in sRGB, without metadata. With `.original`, the
/// result is the source's own bytes, including animation and without metadata, if nothing changes the
/// picture: no scaling, no EXIF orientation, no profile except sRGB's. Their structure is checked to the end;
/// their pixels are not decoded. A TIFF is always encoded again.
///
/// `withImageCodec` provides one for the duration of a scope; an owner with a longer life calls `start()` and
/// `shutdown()`. libvips is loaded at the first picture that needs it.
public final class ImageCodec: ImageCoding {
    private let executor: any TaskExecutor
    /// Its own threads, which are the executor; `nil` if the caller provides the executor.
    private let threads: ThreadExecutor?
    let cores: AdmissionGate
    let memory: AdmissionGate
    let decoders: DecoderChoice
    private let customDecoders: [CustomDecoder]
    let clock = ContinuousClock()
    private static let inlineBytes = ByteCount.kibibytes(64).bytes

    /// Creates a codec that has not been started.
    ///
    /// - Parameters:
    ///   - configuration: The resources of the machine that it may use.
    ///   - executor: The executor for all its work, such as one that a test drives step by step; by default
    ///     `nil`, for its own threads. With an executor, starting and shutting down only concern worker
    ///     processes.
    public init(
        _ configuration: ImageCodecConfiguration = ImageCodecConfiguration(),
        executor: (any TaskExecutor)? = nil
    ) {
        if let executor {
            self.executor = executor
            threads = nil
        } else {
            let own = ThreadExecutor(
                name: "codec",
                threads: configuration.threads,
                niceness: configuration.niceness
            )
            self.executor = own
            threads = own
        }
        cores = Self.gate(configuration.threads)
        memory = Self.gate(configuration.memory.bytes)
        decoders = DecoderChoice(configuration)
        customDecoders = configuration.customDecoders
    }

    /// The running and waiting decodes and encodes.
    public var coreUse: AdmissionGate.Snapshot { cores.snapshot }

    /// The bytes admitted for running decodes, and the decodes that wait for bytes.
    public var memoryUse: AdmissionGate.Snapshot { memory.snapshot }

    /// The current load of the codec.
    public var load: CodecLoad {
        let (cores, memory) = (coreUse, memoryUse)
        return CodecLoad(
            running: cores.used,
            waiting: cores.waiting + memory.waiting,
            bytes: ByteCount(memory.used)
        )
    }

    /// Starts the threads, if it has its own, and the permanent worker processes.
    ///
    /// - Throws: `thread_not_started` if the system creates no thread; `decoder_unavailable` if the program
    ///   cannot be a worker.
    public func start() throws {
        try decoders.isolated?.pool.start()
        try threads?.start()
    }

    /// Shuts down the codec, and returns when its threads and worker processes have ended.
    ///
    /// Call this when no call to the codec is in progress.
    public func shutdown() async {
        await threads?.shutdown()
        await decoders.isolated?.pool.shutdown()
    }

    /// The current number of worker processes.
    public var workerCount: Int { decoders.isolated?.pool.count ?? 0 }

    /// The number of worker processes started so far.
    public var workersStarted: Int { decoders.isolated?.pool.started ?? 0 }

    /// Reads the header in `prefix`; see ``ImageProbe/facts(fromPrefix:isComplete:)``.
    public func probe(_ prefix: [UInt8], isComplete: Bool) throws(CalotypeError) -> ImageFacts? {
        var reader = ByteReader(prefix)
        return try ImageProbe.facts(&reader, isComplete: isComplete, customDecoders)
    }

    /// Reads all facts about `input` without decoding it; see ``ImageProbe/facts(of:)``.
    ///
    /// A JPEG or PNG that lacks only its end marker counts as complete; checking this takes a pass over its
    /// picture data.
    public func facts(of input: CodecInput) async throws -> ImageFacts {
        // Reading so few bytes takes less time than switching to another thread.
        if case .bytes(let bytes) = input, bytes.count <= Self.inlineBytes {
            let opened = try EncodedSource(input).opened(customDecoders)
            if !opened.isCut { return opened.facts }
        }
        return try await withTaskExecutorPreference(executor) { try await self.readFacts(input) }
    }

    /// Decodes `input` once and makes a picture for each spec from `wanted`, in order.
    ///
    /// If libvips reads a picture that is too large to be held, each size needs its own decode.
    public func pictures(
        of input: CodecInput,
        limits: ImageLimits = ImageLimits(),
        priority: LivePriority = LivePriority(),
        wanted: @Sendable () -> [PictureSpec]
    ) async throws -> [Result<CodedPicture, CalotypeError>] {
        let arrival = clock.now
        return try await onCore(priority) {
            try await self.makePictures(input, limits, priority, wanted, since: arrival)
        }
    }

    /// A gate in which work below normal priority, such as prefetching, leaves a quarter free, rounded down.
    private static func gate(_ capacity: Int) -> AdmissionGate {
        AdmissionGate(capacity: capacity, keptBack: capacity / 4, from: .normal)
    }

    /// Runs `body` on a thread of the codec, as soon as one is free.
    ///
    /// Waits for the permit off the threads: their own queue knows neither priority nor cancellation.
    func onCore<Output>(_ priority: LivePriority, _ body: () async throws -> Output) async throws -> Output {
        try await cores.withPermit(priority: priority) {
            try await withTaskExecutorPreference(executor) { try await body() }
        }
    }

    @concurrent
    private func readFacts(_ input: CodecInput) async throws -> ImageFacts {
        let opened = try EncodedSource(input).opened(customDecoders)
        guard opened.isCut else { return opened.facts }
        let limits = ImageLimits()
        // Skips pictures that will not be decoded anyway.
        guard (try? limits.check(opened.facts)) != nil,
            let ended = try await ended(opened, limits, LivePriority())
        else { throw ImageProbe.error(.outOfBytes) }
        return ended.facts
    }

    /// Reads the header of `source`; adds the end marker if only that is missing.
    ///
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `too_many_pixels`,
    ///   `too_many_bytes`, `file_not_readable`, `timeout_decode`; `CancellationError`.
    private func opened(
        _ source: EncodedSource,
        _ limits: ImageLimits,
        _ priority: LivePriority
    ) async throws -> OpenedSource {
        try limits.check(source)
        let opened = try source.opened(customDecoders)
        try limits.check(opened.facts)
        guard opened.isCut else { return opened }
        if let ended = try await ended(opened, limits, priority) { return ended }
        guard limits.acceptsTruncated else { throw ImageProbe.error(.outOfBytes) }
        return opened
    }

    /// Returns the picture in `source` with its end marker, if it lacks nothing else.
    private func ended(
        _ source: OpenedSource,
        _ limits: ImageLimits,
        _ priority: LivePriority
    ) async throws -> OpenedSource? {
        guard let unended = UnendedPicture(source) else { return nil }
        return try await admitted(bytes: unended.bytes, priority) {
            try await withKillSwitch(limit: limits.decodeTime) { try unended.ended($0) }
        }
    }

    @concurrent
    func makePictures(
        _ input: CodecInput,
        _ limits: ImageLimits,
        _ priority: LivePriority,
        _ wanted: @Sendable () -> [PictureSpec],
        since arrival: ContinuousClock.Instant
    ) async throws -> [Result<CodedPicture, CalotypeError>] {
        try Task.checkCancellation()
        let specs = wanted()
        guard !specs.isEmpty else { return [] }
        let opened = try await opened(EncodedSource(input), limits, priority)
        var work = try PictureWork(specs.map(\.unprocessed), of: opened, limits: limits, by: decoders)
        work.queued = clock.now - arrival
        if let making = work.making {
            try await admitted(bytes: making.bytes, priority) {
                work.queued = clock.now - arrival
                try await withKillSwitch(limit: limits.decodeTime, asks: making.asksWhetherToStop) {
                    try work.run($0)
                }
            }
        }
        var results: [Result<CodedPicture, CalotypeError>] = []
        for spec in specs {
            let outcome = work.outcome(spec.unprocessed)
            results.append(
                spec.isProcessed ? try await processed(outcome, spec, limits, priority) : outcome
            )
        }
        return results
    }

    /// Runs `body` with `bytes` of memory, which are always returned.
    func admitted<Output>(
        bytes: Int,
        _ priority: LivePriority,
        _ body: () async throws -> Output
    ) async throws -> Output {
        try await memory.withPermit(weight: bytes, priority: priority) {
            try Task.checkCancellation()
            return try await body()
        }
    }
}

/// Runs `body` with a codec, and returns when its threads and worker processes have ended.
///
/// With an `executor`, all its work runs there and it has no threads. Await all calls to the codec before
/// `body` returns.
///
/// - Throws: Any error from `body`, or the errors of ``ImageCodec/start()``.
public func withImageCodec<Output>(
    _ configuration: ImageCodecConfiguration = ImageCodecConfiguration(),
    executor: (any TaskExecutor)? = nil,
    _ body: (ImageCodec) async throws -> Output
) async throws -> Output {
    let codec = ImageCodec(configuration, executor: executor)
    do {
        try codec.start()
        let output = try await body(codec)
        await codec.shutdown()
        return output
    } catch {
        await codec.shutdown()
        throw error
    }
}
