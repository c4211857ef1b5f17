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
    private let executor: ThreadExecutor
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
        priority: WorkPriority = .normal
    ) async throws -> [CodedImage] {
        try await withTaskExecutorPreference(executor) {
            try await self.makeRenditions(input, specs, limits, priority)
        }
    }

    /// Decodes `input` to the pixels of its upright first frame, scaled and cut by `transform`.
    ///
    /// - Throws: as ``renditions(of:as:limits:priority:)``.
    public func bitmap(
        of input: CodecInput,
        _ transform: Transform = .none,
        limits: ImageLimits = ImageLimits(),
        priority: WorkPriority = .normal
    ) async throws -> Bitmap {
        try await withTaskExecutorPreference(executor) {
            try await self.makeBitmap(input, transform, limits, priority)
        }
    }

    /// Encodes `bitmap`; transparency is laid on white for JPEG.
    public func encode(_ bitmap: Bitmap, as format: OutputFormat) async throws -> [UInt8] {
        if case .original = format {
            throw CalotypeError(.invalidRequest, "pixels have no original format", stage: .request)
        }
        let encoder = VipsEncoder(format, source: .png)
        return try await encode(bitmap, as: encoder.format, quality: encoder.quality)
    }

    /// Encodes `bitmap` as `format`, also as those that are no output format of a request; `quality` 1 to 100 is
    /// heeded by the lossy ones.
    ///
    /// - Throws: `encode_failed`; `CancellationError`.
    public func encode(
        _ bitmap: Bitmap,
        as format: ImageFormat,
        quality: Int = OutputFormat.defaultQuality,
        options: EncodeOptions = EncodeOptions()
    ) async throws -> [UInt8] {
        let encoder = VipsEncoder(format, quality: quality, options: options)
        return try await withTaskExecutorPreference(executor) { try await self.makeBytes(bitmap, encoder) }
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
        _ priority: WorkPriority
    ) async throws -> [CodedImage] {
        let source = try EncodedSource(input)
        try limits.check(source)
        let facts = try source.facts()
        let anew = specs.filter { !$0.isVerbatim(of: facts) }
        let plan = try DecodePlan(facts, anew.map(\.transform), limits: limits)
        guard !anew.isEmpty else {
            return try specs.map { _ in CodedImage(verbatim: try source.bytes(), facts) }
        }
        let arrival = clock.now
        return try await admitted(bytes: plan.bytes, priority) {
            let queued = clock.now - arrival
            return try await cancellable { killSwitch in
                var work = RenditionWork(facts: facts, queued: queued, killSwitch: killSwitch, clock: clock)
                try work.decode(Decode(source: source, plan: plan, limits: limits, killSwitch: killSwitch))
                return try specs.map { try work.rendition($0, of: source) }
            }
        }
    }

    @concurrent
    private func makeBitmap(
        _ input: CodecInput,
        _ transform: Transform,
        _ limits: ImageLimits,
        _ priority: WorkPriority
    ) async throws -> Bitmap {
        let source = try EncodedSource(input)
        try limits.check(source)
        let plan = try DecodePlan(try source.facts(), [transform], limits: limits)
        return try await admitted(bytes: plan.bytes, priority) {
            try await cancellable { killSwitch in
                let decode = Decode(source: source, plan: plan, limits: limits, killSwitch: killSwitch)
                guard let picture = try decode.run()[transform] else { preconditionFailure("a decode gave no picture") }
                return Bitmap(size: picture.size, rgba: try picture.rgba())
            }
        }
    }

    @concurrent
    private func makeBytes(_ bitmap: Bitmap, _ encoder: VipsEncoder) async throws -> [UInt8] {
        try await admitted(bytes: min(bitmap.size.pixelCount, 1 << 40) * 5, .normal) {
            try await cancellable { killSwitch in
                let image = try encoder.explaining { () throws(VipsFailure) in try VipsImage.copy(of: bitmap) }
                try killSwitch.guards(image)
                return try encoder.encode(image)
            }
        }
    }

    /// Runs `body` with a core and `bytes` of memory, which are given back whatever happens.
    private func admitted<Output>(
        bytes: Int,
        _ priority: WorkPriority,
        _ body: () async throws -> Output
    ) async throws -> Output {
        try await cores.withPermit(priority: priority) {
            try await memory.withPermit(weight: bytes, priority: priority) {
                try Task.checkCancellation()
                try Libvips.start()
                return try await body()
            }
        }
    }

    /// Runs `body`, whose switch is pulled when the task is cancelled; an error after that is the cancellation.
    private func cancellable<Output>(_ body: (KillSwitch) throws -> Output) async throws -> Output {
        let killSwitch = KillSwitch()
        return try await withTaskCancellationHandler {
            do {
                defer { killSwitch.rest() }
                return try body(killSwitch)
            } catch {
                throw killSwitch.isPulled ? CancellationError() : error
            }
        } onCancel: {
            killSwitch.pull()
        }
    }
}

/// Runs `body` with a codec, and returns when its threads have ended.
///
/// Await all calls to the codec before `body` returns.
///
/// - Throws: what `body` throws, or `ThreadStartError`.
public func withVipsCodec<Output>(
    _ configuration: VipsCodecConfiguration = VipsCodecConfiguration(),
    _ body: (VipsCodec) async throws -> Output
) async throws -> Output {
    let codec = VipsCodec(configuration)
    try codec.start()
    do {
        let output = try await body(codec)
        await codec.shutdown()
        return output
    } catch {
        await codec.shutdown()
        throw error
    }
}
