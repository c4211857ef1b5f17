import CalotypeCodec
import CalotypeCore
import TaskFlow
import TaskFlowTesting

/// The real codec, whose decodes and previews take virtual time: what it computes takes none in a schedule.
final class SlowCodec: ImageCoding {
    private let base: ImageCodec
    private let slowness: Int
    private let random = Guarded(ScheduleRandom(seed: 7))

    /// Creates a codec of which each decode pauses twice, up to `slowness` times ten milliseconds.
    init(_ base: ImageCodec, slowness: Int) {
        self.base = base
        self.slowness = slowness
    }

    var load: CodecLoad { base.load }

    func probe(_ prefix: [UInt8], isComplete: Bool) throws(CalotypeError) -> ImageFacts? {
        try base.probe(prefix, isComplete: isComplete)
    }

    func pictures(
        of input: CodecInput,
        limits: ImageLimits,
        priority: LivePriority,
        wanted: @Sendable () -> [PictureSpec]
    ) async throws -> [Result<CodedPicture, CalotypeError>] {
        try await pause()
        let pictures = try await base.pictures(of: input, limits: limits, priority: priority, wanted: wanted)
        try await pause()
        return pictures
    }

    func preview(
        of prefix: [UInt8],
        _ transform: Transform,
        limits: ImageLimits,
        priority: LivePriority
    ) async throws -> Bitmap? {
        try await pause()
        let preview = try await base.preview(of: prefix, transform, limits: limits, priority: priority)
        try await pause()
        return preview
    }

    func facts(of input: CodecInput) async throws -> ImageFacts {
        try await base.facts(of: input)
    }

    func encode(_ bitmap: Bitmap, as format: OutputFormat) async throws -> [UInt8] {
        try await base.encode(bitmap, as: format)
    }

    private func pause() async throws {
        guard slowness > 0 else { return }
        let steps = random.withLock { Int.random(in: 0...slowness, using: &$0) }
        if steps > 0 { try await Task.sleep(for: .milliseconds(steps * 10)) }
    }
}
