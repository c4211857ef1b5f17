public import CalotypeCore
public import TaskFlow

/// A type that turns encoded pictures into renditions and pixels, and hides the decoders.
///
/// Implementations run their CPU work on their own threads, admit it by the memory it needs, and stop it when
/// the calling task is cancelled.
public protocol ImageCoding: Sendable {
    /// The current load of the codec.
    var load: CodecLoad { get }

    /// Reads the header in `prefix`, the first bytes of an encoded picture.
    ///
    /// - Returns: The facts; `nil` if the prefix is too short.
    /// - Throws: `unsupported_format` if the bytes are not a picture of a known format (the message names the
    ///   likely type), `corrupt_image` if the header is invalid, `truncated_image` if `isComplete` and the
    ///   header is incomplete.
    func probe(_ prefix: [UInt8], isComplete: Bool) throws(CalotypeError) -> ImageFacts?

    /// Decodes `input` once and makes a picture for each spec from `wanted`, in order.
    ///
    /// A spec that cannot be made from a sound source (an invalid box, a failing encoder) fails only its own
    /// result.
    ///
    /// - Parameters:
    ///   - input: The encoded picture.
    ///   - limits: The limits for the source and the work.
    ///   - priority: The urgency of the work; its place in the queue follows changes.
    ///   - wanted: Returns the specs to make. It is called once, on the codec's thread, when the work has
    ///     been given a core and is about to start, so that requests that arrive while the work waits share
    ///     its decode; it is not called if the task is cancelled before that. If it returns none, the result
    ///     is an empty array, without a decode.
    /// - Returns: The result for each spec.
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `too_many_pixels`,
    ///   `too_many_bytes`, `file_not_readable`: no picture can be made from the source; `CancellationError`.
    func pictures(
        of input: CodecInput,
        limits: ImageLimits,
        priority: LivePriority,
        wanted: @Sendable () -> [PictureSpec]
    ) async throws -> [Result<CodedPicture, CalotypeError>]

    /// Decodes the visible part of a progressive JPEG in `prefix`, while the rest is still arriving.
    ///
    /// The prefix contains the first bytes of the file. The result is the upright picture of all complete
    /// scans, scaled and cut by `transform`; with each further scan it approaches the final picture. It costs
    /// as much memory as decoding the whole.
    ///
    /// - Returns: The pixels; `nil` if no scan is complete yet or `prefix` does not begin a progressive JPEG.
    /// - Throws: The errors of ``pictures(of:limits:priority:wanted:)``; `invalid_request`.
    func preview(
        of prefix: [UInt8],
        _ transform: Transform,
        limits: ImageLimits,
        priority: LivePriority
    ) async throws -> Bitmap?

    /// Reads all facts about `input` without decoding it; a complete input gives the exact number of frames.
    ///
    /// - Throws: The errors of ``probe(_:isComplete:)``; `file_not_readable`.
    func facts(of input: CodecInput) async throws -> ImageFacts

    /// Encodes `bitmap`.
    ///
    /// - Throws: `encode_failed`; `invalid_request` for `.original` and `.png16`; `CancellationError`.
    func encode(_ bitmap: Bitmap, as format: OutputFormat) async throws -> [UInt8]
}

/// An encoded picture, complete, in memory or on disk.
public enum CodecInput: Sendable {
    case bytes([UInt8])
    case file(path: String)
}

/// The load of a codec at one moment.
public struct CodecLoad: Hashable, Sendable {
    /// The number of running decodes and encodes.
    public var running: Int
    /// The number of decodes and encodes that wait for a core or for memory.
    public var waiting: Int
    /// The memory admitted for running decodes.
    public var bytes: ByteCount

    /// Creates a load.
    public init(running: Int, waiting: Int, bytes: ByteCount) {
        self.running = running
        self.waiting = waiting
        self.bytes = bytes
    }
}

// For callers that know all their specs in advance, and need all results or none.
extension ImageCoding {
    /// Decodes `input` once and makes a rendition for each of `specs`, in their order.
    ///
    /// - Throws: The errors of ``pictures(of:limits:priority:wanted:)``; the first failure of a spec.
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
    /// - Throws: The errors of ``pictures(of:limits:priority:wanted:)``; `invalid_request`.
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
    /// The pixels of a result whose spec requested pixels.
    func bitmap() throws(CalotypeError) -> Bitmap {
        guard case .pixels(let bitmap) = try first?.get().content else {
            preconditionFailure("a codec gave no pixels for a spec of pixels")
        }
        return bitmap
    }
}
