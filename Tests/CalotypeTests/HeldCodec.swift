import CalotypeCodec
import CalotypeCore
import CalotypeTestKit
import TaskFlow

/// The real codec, whose decodes a test can hold back before they begin and before they end, and whose calls it sees.
final class HeldCodec: ImageCoding {
    /// Where decodes wait for the test.
    enum Hold: Hashable, Sendable {
        /// Before they are told what to make, as if no core were free.
        case begin
        /// When the pictures are made.
        case end
    }

    /// Lets decodes begin.
    let mayBegin = Event()
    /// Lets decodes end.
    let mayEnd = Event()
    /// What each decode was told to make.
    let decodes = Recorder<Set<PictureSpec>>()
    /// How urgent each decode is, from its arrival on.
    let priorities = Recorder<LivePriority>()
    /// What headers are said to tell, in place of what they do.
    let claim = Guarded<ImageFacts?>(nil)
    /// Fails decodes that make certain pictures.
    let failure = Guarded<@Sendable (Set<PictureSpec>) -> CalotypeError?>({ _ in nil })
    private let base: ImageCodec

    init(_ base: ImageCodec, holding holds: Set<Hold>) {
        self.base = base
        if !holds.contains(.begin) { mayBegin.signal() }
        if !holds.contains(.end) { mayEnd.signal() }
    }

    var load: CodecLoad { base.load }

    func probe(_ prefix: [UInt8], isComplete: Bool) throws(CalotypeError) -> ImageFacts? {
        let facts = try base.probe(prefix, isComplete: isComplete)
        return facts == nil ? nil : claim.withLock { $0 } ?? facts
    }

    func pictures(
        of input: CodecInput,
        limits: ImageLimits,
        priority: LivePriority,
        wanted: @Sendable () -> [PictureSpec]
    ) async throws -> [Result<CodedPicture, CalotypeError>] {
        priorities.record(priority)
        try await mayBegin.wait()
        let failed = Guarded<CalotypeError?>(nil)
        let pictures = try await base.pictures(of: input, limits: limits, priority: priority) {
            let specs = wanted()
            decodes.record(Set(specs))
            failed.withLock { $0 = failure.withLock { $0 }(Set(specs)) }
            return specs
        }
        try await mayEnd.wait()
        if let error = failed.withLock({ $0 }) { throw error }
        return pictures
    }

    func preview(
        of prefix: [UInt8],
        _ transform: Transform,
        limits: ImageLimits,
        priority: LivePriority
    ) async throws -> Bitmap? {
        try await base.preview(of: prefix, transform, limits: limits, priority: priority)
    }

    func facts(of input: CodecInput) async throws -> ImageFacts {
        try await base.facts(of: input)
    }

    func encode(_ bitmap: Bitmap, as format: OutputFormat) async throws -> [UInt8] {
        try await base.encode(bitmap, as: format)
    }
}
