/// How the format of a result follows from its source, where nobody names one.
///
/// A result is always encoded anew, so that nothing of the source's metadata is passed on unseen.
public struct SuitedFormat: Hashable, Sendable {
    /// The formats that a source keeps; the first of them that can show the picture takes the place of others.
    ///
    /// Where none of them can, a picture with transparent parts becomes PNG, and others JPEG.
    public var preferred: [ImageFormat]
    /// The qualities of single formats, 1 to 100.
    public var qualities: [ImageFormat: Int]
    /// The quality of the others, 1 to 100.
    public var quality: Int

    /// Creates a rule; by default JPEG and PNG are kept.
    public init(
        preferred: [ImageFormat] = [.jpeg, .png],
        qualities: [ImageFormat: Int] = [:],
        quality: Int = OutputFormat.defaultQuality
    ) {
        self.preferred = preferred
        self.qualities = qualities
        self.quality = quality
    }

    /// The format for a source of `format`; `needsAlpha` tells whether the result may have transparent parts.
    public func format(source: ImageFormat, needsAlpha: Bool) -> ImageFormat {
        let suits = { (format: ImageFormat) in format.isWritten && (format.keepsAlpha || !needsAlpha) }
        if preferred.contains(source), suits(source) { return source }
        return preferred.first(where: suits) ?? (needsAlpha ? .png : .jpeg)
    }

    /// What a picture made by `transform` of the source that `facts` tell of is encoded as.
    package func output(_ transform: Transform, of facts: ImageFacts) -> OutputFormat {
        let needsAlpha = transform.edits.mayBeTransparent(sourceHasAlpha: facts.hasAlpha)
        let format = format(source: facts.format, needsAlpha: needsAlpha)
        let quality = qualities[format] ?? quality
        return switch format {
        case .png: .png
        case .webp: .webp(quality: quality)
        case .avif: .avif(quality: quality)
        case .jpeg, .heic, .gif, .tiff: .jpeg(quality: quality)
        }
    }

    /// The same text for the same rule, in which no part runs into the next.
    package var name: String {
        let own = qualities.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
        return "\(preferred.map(\.rawValue).joined(separator: ",")) \(quality) \(own.joined(separator: ","))"
    }
}

extension ImageFormat {
    /// Whether pictures of the format can have transparent parts.
    package var keepsAlpha: Bool { self != .jpeg }

    /// Whether pictures are encoded in the format.
    package var isWritten: Bool {
        switch self {
        case .jpeg, .png, .webp, .avif: true
        case .heic, .gif, .tiff: false
        }
    }
}

extension PictureEdits {
    /// Whether the result may have transparent parts.
    package func mayBeTransparent(sourceHasAlpha: Bool) -> Bool {
        guard background == nil else { return false }
        return sourceHasAlpha || padding != Padding() || extended != nil || extendedToAspectRatio != nil
    }
}
