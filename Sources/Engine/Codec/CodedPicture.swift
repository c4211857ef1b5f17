public import CalotypeCore

/// A picture that the codec made for one ``PictureSpec``.
public struct CodedPicture: Sendable {
    /// The result in the requested form.
    public enum Content: Sendable {
        case encoded([UInt8], ImageFormat)
        case pixels(Bitmap)
    }

    /// The encoded bytes with their format, or the pixels.
    public var content: Content
    /// Its size, upright.
    public var size: PixelSize
    /// The source's header, including the number of frames.
    public var source: ImageFacts
    /// Whether the encoded bytes are the source's own, without its metadata.
    public var isVerbatim: Bool
    /// Whether the source ended early and the picture shows only part of it.
    public var isPartial: Bool
    /// The decoder that was used; `nil` for the source's own bytes.
    public var decoder: PictureDecoder?
    /// The time spent waiting for the core and the memory.
    public var queued: Duration
    /// The time for decoding and scaling, shared by all pictures of one decode.
    ///
    /// Zero for the source's own bytes.
    public var decoding: Duration
    /// The time for encoding this picture, or for laying out its pixels.
    public var encoding: Duration

    /// Creates a picture.
    public init(
        _ content: Content,
        size: PixelSize,
        source: ImageFacts,
        isVerbatim: Bool = false,
        isPartial: Bool = false,
        decoder: PictureDecoder? = nil,
        queued: Duration = .zero,
        decoding: Duration = .zero,
        encoding: Duration = .zero
    ) {
        self.content = content
        self.size = size
        self.source = source
        self.isVerbatim = isVerbatim
        self.isPartial = isPartial
        self.decoder = decoder
        self.queued = queued
        self.decoding = decoding
        self.encoding = encoding
    }
}

/// A picture that a decode must produce, encoded or as pixels.
public enum PictureSpec: Hashable, Sendable {
    /// Encoded bytes.
    case encoded(RenditionSpec)
    /// Straight-alpha sRGB pixels, scaled and cut by the transform.
    case pixels(Transform)

    /// How to scale and cut the picture.
    public var transform: Transform {
        switch self {
        case .encoded(let spec): spec.transform
        case .pixels(let transform): transform
        }
    }
}
