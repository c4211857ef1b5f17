public import CalotypeCore
public import TaskFlow

/// The codec that libvips is the decoder of, on threads of its own.
///
/// Animated pictures give their first frame, upright, in sRGB, without metadata. Under `.original` the source's very
/// bytes are given, animation and metadata included, where neither scaling nor EXIF orientation changes the picture;
/// their structure is checked to their end, their pixels are not decoded.
///
/// `withVipsCodec` gives one for the length of a scope; an owner with a life of its own calls `start()` and
/// `shutdown()`. libvips itself is started at the first picture of the process.
public final class VipsCodec: ImageCoding {
    let executor: ThreadExecutor
    let cores: AdmissionGate
    let memory: AdmissionGate
    private let clock = ContinuousClock()

    /// Creates a codec that has not been started.
    public init(_ configuration: VipsCodecConfiguration = VipsCodecConfiguration()) {
        executor = ThreadExecutor(name: "codec", threads: configuration.threads)
        cores = AdmissionGate(capacity: configuration.threads)
        memory = AdmissionGate(capacity: configuration.memory.bytes)
    }

    /// The decodes and encodes that run and wait.
    public var coreUse: AdmissionGate.Snapshot { cores.snapshot }

    /// The bytes that running decodes were admitted for, and the decodes that wait for bytes.
    public var memoryUse: AdmissionGate.Snapshot { memory.snapshot }

    /// Starts the threads.
    ///
    /// - Throws: `ThreadStartError` when the system gives no thread.
    public func start() throws {
        try executor.start()
    }

    /// Returns when the threads have ended; call it when no call to the codec is under way any more.
    public func shutdown() async {
        await executor.shutdown()
    }

    /// Reads the header in `prefix`; see ``ImageProbe/facts(fromPrefix:isComplete:)``.
    public func probe(_ prefix: [UInt8], isComplete: Bool) throws(CalotypeError) -> ImageFacts? {
        try ImageProbe.facts(fromPrefix: prefix, isComplete: isComplete)
    }

    /// Reads all that is told about `input` without decoding it; see ``ImageProbe/facts(of:)``.
    public func facts(of input: CodecInput) async throws -> ImageFacts {
        try await withTaskExecutorPreference(executor) { try await self.readFacts(input) }
    }

    /// Decodes `input` once and makes a rendition for each of `specs`, in their order.
    public func renditions(
        of input: CodecInput,
        as specs: [RenditionSpec],
        limits: ImageLimits = ImageLimits(),
        priority: LivePriority = LivePriority()
    ) async throws -> [CodedImage] {
        let arrival = clock.now
        return try await onCore(priority) {
            try await self.makeRenditions(input, specs, limits, priority, since: arrival)
        }
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
        try ImageProbe.facts(of: input)
    }

    @concurrent
    private func makeRenditions(
        _ input: CodecInput,
        _ specs: [RenditionSpec],
        _ limits: ImageLimits,
        _ priority: LivePriority,
        since arrival: ContinuousClock.Instant
    ) async throws -> [CodedImage] {
        let source = try EncodedSource(input)
        try limits.check(source)
        let facts = try source.facts()
        let anew = specs.filter { !$0.isVerbatim(of: facts) }
        let plan = try DecodePlan(facts, anew.map(\.transform), limits: limits)
        guard !anew.isEmpty else {
            return try specs.map { _ in CodedImage(verbatim: try source.bytes(), facts) }
        }
        return try await admitted(bytes: plan.bytes, priority) {
            let queued = clock.now - arrival
            return try await withKillSwitch { killSwitch in
                var work = RenditionWork(facts: facts, queued: queued, killSwitch: killSwitch, clock: clock)
                try work.decode(Decode(source: source, plan: plan, limits: limits, killSwitch: killSwitch))
                return try specs.map { try work.rendition($0, of: source) }
            }
        }
    }

    /// Runs `body` with `bytes` of memory, which are given back whatever happens.
    func admitted<Output>(
        bytes: Int,
        _ priority: LivePriority,
        _ body: () async throws -> Output
    ) async throws -> Output {
        try await memory.withPermit(weight: bytes, priority: priority) {
            try Task.checkCancellation()
            try Libvips.start()
            return try await body()
        }
    }
}
