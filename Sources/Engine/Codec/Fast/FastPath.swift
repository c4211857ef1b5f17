import CalotypeCore

/// Decides which decoder handles a source; the only place that does.
///
/// The fast path handles whole still JPEG, PNG and WebP pictures with 8 bits per channel in grey or RGB;
/// libvips handles everything unusual.
struct FastPath: Sendable {
    /// How the fast path decodes a source; `conversion` converts its rows to sRGB if needed.
    typealias Way = (source: any FastSource, conversion: ColourConversion?)

    /// The maximum factor of an enlargement: beyond it, too many rows are open at once to save memory.
    private static let mostEnlargement = 8

    private let conversions = ColourConversions()

    /// Decides from the header of `source` alone whether the fast path handles it.
    ///
    /// - Throws: The format's error for a damaged source.
    func verdict(
        _ source: OpenedSource,
        _ transforms: [Transform]
    ) throws(CalotypeError) -> FastVerdict<Way> {
        let facts = source.facts
        if let frames = facts.frames, frames != 1 { return .left(reason: "animated") }
        guard facts.bitDepth <= 8 else { return .left(reason: "\(facts.bitDepth) bits a channel") }
        for transform in transforms {
            if transform.isDeep { return .left(reason: "16 bits per sample requested") }
            if let edit = transform.edits.libraryEdit(Geometry(transform, of: facts)) {
                return .left(reason: edit)
            }
        }
        guard transforms.allSatisfy({ Self.isModest($0, of: facts) }) else {
            return .left(reason: "enlarged more than \(Self.mostEnlargement) times")
        }
        switch try verdict(source) {
        case .left(let reason): return .left(reason: reason)
        // Its planes cannot be averaged as light, which is defined for red, green and blue.
        case .taken(let fast) where fast.model == .videoYCbCr && transforms.contains(where: \.isLinearLight):
            return .left(reason: "averaged as light")
        case .taken(let fast):
            switch conversions.verdict(fast.profile, fast.model) {
            case .left(let reason): return .left(reason: reason)
            case .taken(let conversion): return .taken((fast, conversion))
            }
        }
    }

    private func verdict(_ source: OpenedSource) throws(CalotypeError) -> FastVerdict<any FastSource> {
        switch source.facts.format {
        case .jpeg: try JPEGSource.verdict(source.encoded, source.facts)
        case .png: try PNGSource.verdict(source.encoded, source.facts)
        case .webp: try WebPSource.verdict(source.encoded, source.facts)
        case .custom: .taken(CustomSource(source.decoder, source))
        case .avif, .gif, .heic, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg:
            .left(reason: source.facts.format.name)
        }
    }

    private static func isModest(_ transform: Transform, of facts: ImageFacts) -> Bool {
        let geometry = Geometry(transform, of: facts)
        let (size, scaled) = (geometry.crop.size, geometry.scaled)
        return scaled.width <= size.width * mostEnlargement && scaled.height <= size.height * mostEnlargement
    }
}

/// A source that, according to its header, a fast decoder can read as a whole.
protocol FastSource {
    /// The embedded ICC profile; empty if there is none.
    var profile: [UInt8] { get }

    /// What the samples of the decoded rows mean.
    var model: SampleLayout.Model { get }

    /// The eighths of its size at which it can be decoded, from the fewest to all 8.
    var scales: [Int] { get }

    /// The source for a caller that averages several of its pixels for each result pixel.
    ///
    /// The decoder may leave out work that only improves how single pixels look.
    var forAveraging: any FastSource { get }

    /// The bytes that the decoder itself holds while it decodes at `scale` eighths, not counting the source's
    /// bytes.
    func decoderBytes(scale: Int) -> Int

    /// Starts decoding at `scale` eighths.
    ///
    /// - Parameters:
    ///   - scale: One of ``scales``.
    ///   - acceptsTruncated: Whether a source that ends early produces a partial picture instead of an error.
    ///   - isCancelled: Called on the same thread during long calls (all scans of a progressive JPEG, for
    ///     example); once it returns true, the call soon fails with `CancellationError`.
    /// - Returns: The decoder, before its first row.
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

/// Whether the fast path handles a source, and how.
enum FastVerdict<Way> {
    case taken(Way)
    /// libvips decodes it, for the given reason in a few words.
    case left(reason: String)

    /// The verdict on a source whose header ends in `error`: libvips takes what is unusual.
    ///
    /// - Throws: The error that callers see for what is wrong with the source.
    init(_ error: CodecError) throws(CalotypeError) {
        guard case .unusual(let reason) = error else { throw ImageProbe.error(error) }
        self = .left(reason: reason)
    }
}

extension FastVerdict: Sendable where Way: Sendable {}

extension PictureEdits {
    /// Describes the edit that only libvips supports; `nil` if the fast path supports them all.
    ///
    /// `geometry` shows whether the edits cut or extend anything.
    func libraryEdit(_ geometry: Geometry) -> String? {
        if frame > 0 { return "frame \(frame)" }
        if trim != nil { return "trimmed" }
        if watermark != nil { return "a watermark" }
        if !kept.isSubset(of: .copyright) { return "metadata kept" }
        return placeEdit(geometry) ?? filterEdit
    }

    private func placeEdit(_ geometry: Geometry) -> String? {
        if crop?.gravity ?? gravity == .attention, crop != nil { return "cut by attention" }
        if gravity == .attention, geometry.isCut { return "cut by attention" }
        return hasPlainCanvas(geometry) ? nil : "extended"
    }

    /// Whether rows can be laid on the canvas as they come: there is at most one, all of the picture is on it,
    /// and its colour is the same level of each channel.
    private func hasPlainCanvas(_ geometry: Geometry) -> Bool {
        guard let canvas = geometry.canvases.first else { return true }
        guard geometry.canvases.count == 1, let background, background.red == background.green,
            background.green == background.blue
        else { return false }
        return canvas.left >= 0 && canvas.top >= 0
            && canvas.left + geometry.kept.size.width <= canvas.size.width
            && canvas.top + geometry.kept.size.height <= canvas.size.height
    }

    private var filterEdit: String? {
        if blur > 0 || !blurredAreas.isEmpty { return "blurred" }
        if sharpen > 0 { return "sharpened" }
        return pixelation > 1 ? "pixelated" : nil
    }
}
