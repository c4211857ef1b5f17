public import CalotypeCore
public import TaskFlow

/// Turns encoded pictures into renditions and pixels: the one seam behind which decoders live.
///
/// Implementations run their CPU work on threads of their own, admit it by the memory it needs and stop it when the
/// calling task is cancelled.
public protocol ImageCoding: Sendable {
    /// What the codec does now.
    var load: CodecLoad { get }

    /// Reads the header in `prefix`, the first bytes of an encoded picture.
    ///
    /// - Returns: the facts, or `nil` where the prefix is too short to tell them.
    /// - Throws: `unsupported_format` when the bytes are no picture of a known format (what they seem to be instead
    ///   is in the message), `corrupt_image` when the header makes no sense, `truncated_image` when `isComplete`
    ///   and the header is cut.
    func probe(_ prefix: [UInt8], isComplete: Bool) throws(CalotypeError) -> ImageFacts?

    /// Decodes `input` once and makes a picture for each spec that `wanted` names, in their order.
    ///
    /// What cannot be made of a sound source (a box that is no size, an encoder that fails) fails only its own result.
    ///
    /// - Parameters:
    ///   - input: The encoded picture.
    ///   - limits: What it may cost.
    ///   - priority: How urgent the work is; its place among those who wait follows it.
    ///   - wanted: Tells what to make. It is called once, on the codec's thread, when the work has been given a core
    ///     and is about to begin, so that what is asked for while the work waits shares its decode; not at all when
    ///     the task is cancelled before that. An empty answer is answered with an empty array, without a decode.
    /// - Returns: what came of each spec.
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `too_many_pixels`, `too_many_bytes`,
    ///   `file_not_readable`: no picture can be made of the source; `CancellationError`.
    func pictures(
        of input: CodecInput,
        limits: ImageLimits,
        priority: LivePriority,
        wanted: @Sendable () -> [PictureSpec]
    ) async throws -> [Result<CodedPicture, CalotypeError>]

    /// Decodes what a progressive JPEG shows of itself in `prefix`, its first bytes, for as long as the rest is to come.
    ///
    /// It is the upright picture of all scans that are complete, scaled and cut by `transform`; with each further scan
    /// it comes closer to the final picture. It costs as much memory as the decode of the whole.
    ///
    /// - Returns: the pixels; `nil` where no scan is complete yet or `prefix` begins no progressive JPEG.
    /// - Throws: as ``pictures(of:limits:priority:wanted:)``; `invalid_request`.
    func preview(
        of prefix: [UInt8],
        _ transform: Transform,
        limits: ImageLimits,
        priority: LivePriority
    ) async throws -> Bitmap?

    /// Reads all that is told about `input` without decoding it; a complete input tells its frames exactly.
    ///
    /// - Throws: as ``probe(_:isComplete:)``; `file_not_readable`.
    func facts(of input: CodecInput) async throws -> ImageFacts

    /// Encodes `bitmap`.
    ///
    /// - Throws: `encode_failed`; `invalid_request` for `.original`; `CancellationError`.
    func encode(_ bitmap: Bitmap, as format: OutputFormat) async throws -> [UInt8]
}

/// An encoded picture, complete, in memory or on disk.
public enum CodecInput: Sendable {
    case bytes([UInt8])
    case file(path: String)
}

/// What a codec does at one moment.
public struct CodecLoad: Hashable, Sendable {
    /// Decodes and encodes that run.
    public var running: Int
    /// Those that wait for a core or for memory.
    public var waiting: Int
    /// The memory that running decodes were admitted for.
    public var bytes: ByteCount

    /// Creates a load.
    public init(running: Int, waiting: Int, bytes: ByteCount) {
        self.running = running
        self.waiting = waiting
        self.bytes = bytes
    }
}

// For callers who know beforehand what they want, and want all of it or none.
extension ImageCoding {
    /// Decodes `input` once and makes a rendition for each of `specs`, in their order.
    ///
    /// - Throws: as ``pictures(of:limits:priority:wanted:)``; the first failure of a spec.
    public func renditions(
        of input: CodecInput,
        as specs: [RenditionSpec],
        limits: ImageLimits = ImageLimits(),
        priority: LivePriority = LivePriority()
    ) async throws -> [CodedPicture] {
        try await pictures(of: input, limits: limits, priority: priority) { specs.map { .encoded($0) } }
            .map { try $0.get() }
    }

    /// Decodes `input` to the pixels of its upright first frame, scaled and cut by `transform`.
    ///
    /// - Throws: as ``pictures(of:limits:priority:wanted:)``; `invalid_request`.
    public func bitmap(
        of input: CodecInput,
        _ transform: Transform = .none,
        limits: ImageLimits = ImageLimits(),
        priority: LivePriority = LivePriority()
    ) async throws -> Bitmap {
        try await pictures(of: input, limits: limits, priority: priority) { [.pixels(transform)] }.bitmap()
    }
}

extension [Result<CodedPicture, CalotypeError>] {
    /// The pixels, where one spec asked for them.
    func bitmap() throws(CalotypeError) -> Bitmap {
        guard case .pixels(let bitmap) = try first?.get().content else {
            preconditionFailure("a codec gave no pixels for a spec of pixels")
        }
        return bitmap
    }
}
