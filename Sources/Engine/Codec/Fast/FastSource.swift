import CalotypeCore

/// A source whose header says that one of the fast decoders reads it whole.
protocol FastSource {
    /// The embedded ICC profile; empty where there is none.
    var profile: [UInt8] { get }

    /// What the samples of the decoded rows mean.
    var model: SampleLayout.Model { get }

    /// The eighths of its size at which it is decoded, from the fewest to all 8.
    var scales: [Int] { get }

    /// The same source for one who averages several of its pixels for each of the result's: what a decoder does for the eye
    /// alone may be left out.
    var forAveraging: any FastSource { get }

    /// The bytes that the decoder itself holds while it decodes at `scale` eighths, the source's bytes not counted.
    func decoderBytes(scale: Int) -> Int

    /// Begins to decode at `scale` eighths.
    ///
    /// - Parameters:
    ///   - scale: One of ``scales``.
    ///   - acceptsTruncated: Whether a source that ends early gives a partial picture and not an error.
    ///   - isCancelled: Asked within calls that take long (all scans of a progressive JPEG, say), from the same thread;
    ///     once it says yes, the call fails soon with `CancellationError`.
    /// - Returns: the decoder, before its first row.
    /// - Throws: `corrupt_image`, `truncated_image`; `CancellationError`.
    func decoder(
        scale: Int,
        acceptsTruncated: Bool,
        isCancelled: @escaping () -> Bool
    ) throws -> any RowDecoder
}

extension FastSource {
    var forAveraging: any FastSource { self }
}

/// Whether the fast path takes a source: decided from its header alone.
enum FastVerdict {
    case taken(any FastSource)
    /// libvips decodes it; why, in a few words for the report.
    case left(reason: String)
}
