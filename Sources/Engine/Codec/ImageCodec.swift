public import CalotypeCore
public import TaskFlow

/// The codec on threads of its own: fast paths for the JPEG, PNG and WebP that lists are made of, libvips for all else.
///
/// Animated pictures give their first frame, upright, in sRGB, without metadata. Under `.original` the source's own
/// bytes are given, animation included and metadata taken out, where nothing changes the picture: no scaling, no EXIF
/// orientation, no profile but sRGB's. Their structure is checked to their end, their pixels are not decoded. A TIFF is
/// always encoded again.
///
/// `withImageCodec` gives one for the length of a scope; an owner with a life of its own calls `start()` and
/// `shutdown()`. libvips itself is loaded at the first picture that takes it.
public final class ImageCodec: ImageCoding {
    private let executor: any TaskExecutor
    /// Its own threads, which are the executor; `nil` where that is the caller's.
    private let threads: ThreadExecutor?
    let cores: AdmissionGate
    let memory: AdmissionGate
    let decoders: DecoderChoice
    let clock = ContinuousClock()
    private static let inlineBytes = ByteCount.kibibytes(64).bytes

    /// Creates a codec that has not been started.
    ///
    /// - Parameters:
    ///   - configuration: What it may use of the machine.
    ///   - executor: Where all its work runs, such as one that a test drives step by step; `nil`, the default, for
    ///     threads of its own. With one, starting and shutting down concern worker processes only.
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
    }

    /// The decodes and encodes that run and wait.
    public var coreUse: AdmissionGate.Snapshot { cores.snapshot }

    /// The bytes that running decodes were admitted for, and the decodes that wait for bytes.
    public var memoryUse: AdmissionGate.Snapshot { memory.snapshot }

    /// What the codec does now.
    public var load: CodecLoad {
        let (cores, memory) = (coreUse, memoryUse)
        return CodecLoad(
            running: cores.used,
            waiting: cores.waiting + memory.waiting,
            bytes: ByteCount(memory.used)
        )
    }

    /// Starts the threads, where it has its own, and the worker processes that are always there.
    ///
    /// - Throws: `ThreadStartError` when the system gives no thread; `decoder_unavailable` when the program cannot be a
    ///   worker.
    public func start() throws {
        try decoders.isolated?.pool.start()
        try threads?.start()
    }

    /// Returns when the threads and the worker processes have ended; call it when no call to the codec is under way any
    /// more.
    public func shutdown() async {
        await threads?.shutdown()
        await decoders.isolated?.pool.shutdown()
    }

    /// The number of worker processes now.
    public var workerCount: Int { decoders.isolated?.pool.count ?? 0 }

    /// The number of worker processes that were started so far.
    public var workersStarted: Int { decoders.isolated?.pool.started ?? 0 }

    /// Reads the header in `prefix`; see ``ImageProbe/facts(fromPrefix:isComplete:)``.
    public func probe(_ prefix: [UInt8], isComplete: Bool) throws(CalotypeError) -> ImageFacts? {
        try ImageProbe.facts(fromPrefix: prefix, isComplete: isComplete)
    }

    /// Reads all that is told about `input` without decoding it; see ``ImageProbe/facts(of:)``.
    ///
    /// A JPEG or PNG that lacks nothing but the mark of its end is whole; that takes a look at its picture data.
    public func facts(of input: CodecInput) async throws -> ImageFacts {
        // To walk over so few bytes takes less time than the way to another thread.
        if case .bytes(let bytes) = input, bytes.count <= Self.inlineBytes {
            let opened = try EncodedSource(input).opened()
            if !opened.isCut { return opened.facts }
        }
        return try await withTaskExecutorPreference(executor) { try await self.readFacts(input) }
    }

    /// Decodes `input` once and makes a picture for each spec that `wanted` names, in their order.
    ///
    /// Where libvips reads a picture that is too large to be held, each size takes a decode of its own.
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

    /// A gate of which work below normal priority, such as prefetching, leaves a quarter free, rounded down.
    private static func gate(_ capacity: Int) -> AdmissionGate {
        AdmissionGate(capacity: capacity, keptBack: capacity / 4, from: .normal)
    }

    /// Runs `body` on a thread of the codec, as soon as one is free.
    ///
    /// The permit is waited for off the threads: their own queue knows neither priority nor cancellation.
    func onCore<Output>(_ priority: LivePriority, _ body: () async throws -> Output) async throws -> Output {
        try await cores.withPermit(priority: priority) {
            try await withTaskExecutorPreference(executor) { try await body() }
        }
    }

    @concurrent
    private func readFacts(_ input: CodecInput) async throws -> ImageFacts {
        let opened = try EncodedSource(input).opened()
        guard opened.isCut else { return opened.facts }
        let limits = ImageLimits()
        // Of a picture that nobody would decode it is not found out.
        guard (try? limits.check(opened.facts)) != nil,
            let ended = try await ended(opened, limits, LivePriority())
        else { throw ImageProbe.error(.outOfBytes) }
        return ended.facts
    }

    /// Reads the header of `source`; what lacks nothing but its end gets one.
    ///
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `too_many_pixels`, `too_many_bytes`,
    ///   `file_not_readable`, `timeout_decode`; `CancellationError`.
    private func opened(
        _ source: EncodedSource,
        _ limits: ImageLimits,
        _ priority: LivePriority
    ) async throws -> OpenedSource {
        try limits.check(source)
        let opened = try source.opened()
        try limits.check(opened.facts)
        guard opened.isCut else { return opened }
        if let ended = try await ended(opened, limits, priority) { return ended }
        guard limits.acceptsTruncated else { throw ImageProbe.error(.outOfBytes) }
        return opened
    }

    /// The picture in `source` with its end, where it lacks nothing else.
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
        var work = try PictureWork(specs, of: opened, limits: limits, by: decoders)
        work.queued = clock.now - arrival
        if let making = work.making {
            try await admitted(bytes: making.bytes, priority) {
                work.queued = clock.now - arrival
                try await withKillSwitch(limit: limits.decodeTime, asks: making.asksWhetherToStop) {
                    try work.run($0)
                }
            }
        }
        return specs.map { work.outcome($0) }
    }

    /// Runs `body` with `bytes` of memory, which are given back whatever happens.
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
/// With an `executor`, all its work runs there and it has no threads. Await all calls to the codec before `body` returns.
///
/// - Throws: what `body` throws, or as ``ImageCodec/start()``.
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
