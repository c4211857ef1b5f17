/// The facts in an encoded picture's header.
public struct ImageFacts: Hashable, Sendable {
    /// The format according to the content, regardless of names and headers.
    public var format: ImageFormat
    /// The identifier of the decoder that reads it, if the format is ``ImageFormat/custom``.
    public var customDecoder: String?
    /// The size as stored, before the orientation is applied.
    public var storedSize: PixelSize
    /// The EXIF orientation, 1 to 8; 1 if it is missing or invalid.
    public var orientation: Int
    /// The number of frames or pages, 1 for a still picture; `nil` if the bytes so far don't show it.
    public var frames: Int?
    /// Whether decoding needs the whole picture in memory (progressive JPEG, interlaced PNG, WebP, ...).
    public var needsWholePicture: Bool
    /// Whether there is an alpha channel.
    public var hasAlpha: Bool
    /// The number of bits per channel.
    public var bitDepth: Int
    /// The description of the embedded ICC profile; `nil` if there is none.
    public var profile: String?

    /// Creates facts.
    public init(
        format: ImageFormat,
        storedSize: PixelSize,
        orientation: Int = 1,
        frames: Int? = 1,
        needsWholePicture: Bool = false,
        hasAlpha: Bool = false,
        bitDepth: Int = 8,
        profile: String? = nil
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.frames = frames
        self.needsWholePicture = needsWholePicture
        self.hasAlpha = hasAlpha
        self.bitDepth = bitDepth
        self.profile = profile
    }

    /// The number of frames that can be read as an animation; 1 if it is none.
    package var animationFrames: Int {
        switch format {
        case .gif, .webp, .png: frames ?? 1
        case .jpeg, .avif, .heic, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: 1
        }
    }

    /// The size of the upright picture.
    public var size: PixelSize {
        orientation >= 5 ? storedSize.transposed : storedSize
    }
}

/// A format of encoded pictures.
public enum ImageFormat: String, CaseIterable, Hashable, Sendable {
    /// The formats that Calotype reads or writes itself.
    public static let allCases: [ImageFormat] = [
        .jpeg, .png, .webp, .avif, .heic, .gif, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg,
    ]

    case jpeg, png, webp, avif, heic, gif, tiff
    /// The portable bitmap, greymap and pixmap of Netpbm, P1 to P6.
    case pnm
    /// JPEG 2000, as a JP2 file or a bare codestream.
    case jp2
    /// JPEG XL.
    case jxl
    /// The bitmap of Windows and OS/2.
    case bmp
    /// Targa, the bitmap of Truevision.
    case tga
    /// A document of Photoshop, of which the merged image is read.
    case psd
    /// The icon of Windows, which holds a picture in several sizes.
    case ico
    /// A drawing, which has no pixels of its own.
    case svg
    /// A format that only a decoder or an encoder of the program knows; not one of ``allCases``.
    case custom

    /// The usual file name extension, without the dot.
    public var fileExtension: String {
        self == .jpeg ? "jpg" : rawValue
    }

    /// The media type registered for the format.
    public var mediaType: String {
        switch self {
        case .pnm: "image/x-portable-anymap"
        case .tga: "image/x-tga"
        case .psd: "image/vnd.adobe.photoshop"
        case .ico: "image/vnd.microsoft.icon"
        case .svg: "image/svg+xml"
        case .custom: "application/octet-stream"
        default: "image/\(rawValue)"
        }
    }

    /// The name that people know the format by.
    public var name: String {
        switch self {
        case .webp: "WebP"
        case .jp2: "JPEG 2000"
        case .jxl: "JPEG XL"
        case .custom: "a custom format"
        case .jpeg, .png, .avif, .heic, .gif, .tiff, .pnm, .bmp, .tga, .psd, .ico, .svg: rawValue.uppercased()
        }
    }

    /// Whether the format is read, but no request can have it as its output.
    package var isOnlyRead: Bool {
        switch self {
        case .jpeg, .png, .webp, .avif, .heic, .gif, .tiff, .jxl: false
        case .pnm, .jp2, .bmp, .tga, .psd, .ico, .svg, .custom: true
        }
    }
}
