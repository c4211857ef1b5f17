public import CalotypeCore
public import TaskFlow

/// Turns encoded pictures into renditions: the one seam behind which decoders live.
///
/// Implementations run their CPU work on threads of their own, admit it by the memory it needs and stop it when the
/// calling task is cancelled.
public protocol ImageCoding: Sendable {
    /// Reads the header in `prefix`, the first bytes of an encoded picture.
    ///
    /// - Returns: the facts, or `nil` where the prefix is too short to tell them.
    /// - Throws: `unsupported_format` when the bytes are no picture of a known format (what they seem to be instead
    ///   is in the message), `corrupt_image` when the header makes no sense, `truncated_image` when `isComplete`
    ///   and the header is cut.
    func probe(_ prefix: [UInt8], isComplete: Bool) throws(CalotypeError) -> ImageFacts?

    /// Decodes `input` once and makes a rendition for each of `specs`, in their order.
    ///
    /// While the work waits to be admitted, its place among those who wait follows `priority`.
    ///
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `too_many_pixels`, `encode_failed`,
    ///   `file_not_readable`; `CancellationError`.
    func renditions(
        of input: CodecInput,
        as specs: [RenditionSpec],
        limits: ImageLimits,
        priority: LivePriority
    ) async throws -> [CodedImage]

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

/// One rendition to make: its scaling and its encoding.
public struct RenditionSpec: Hashable, Sendable {
    /// How the picture is scaled and cut.
    public var transform: Transform
    /// What it is encoded as.
    public var output: OutputFormat

    /// Creates a spec.
    public init(_ transform: Transform, _ output: OutputFormat) {
        self.transform = transform
        self.output = output
    }
}

/// A rendition as the codec made it.
public struct CodedImage: Sendable {
    /// The encoded picture.
    public var bytes: [UInt8]
    /// Its format.
    public var format: ImageFormat
    /// Its size, upright.
    public var size: PixelSize
    /// What the source's header told, frames included.
    public var source: ImageFacts
    /// Whether ``bytes`` are the source's very bytes.
    public var isVerbatim: Bool
    /// Waiting for the decode permit.
    public var queued: Duration
    /// Decoding and scaling; shared by all renditions of one call.
    public var decoding: Duration
    /// Encoding this rendition.
    public var encoding: Duration

    /// Creates a coded image.
    public init(
        bytes: [UInt8],
        format: ImageFormat,
        size: PixelSize,
        source: ImageFacts,
        isVerbatim: Bool,
        queued: Duration,
        decoding: Duration,
        encoding: Duration
    ) {
        self.bytes = bytes
        self.format = format
        self.size = size
        self.source = source
        self.isVerbatim = isVerbatim
        self.queued = queued
        self.decoding = decoding
        self.encoding = encoding
    }
}
