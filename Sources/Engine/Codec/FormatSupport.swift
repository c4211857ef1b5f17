import CalotypeCPictures
public import CalotypeCore

/// What this program can do with a format on this machine, and through which library.
public struct FormatSupport: Hashable, Sendable {
    /// The format.
    public let format: ImageFormat
    /// What reads it; `nil` if nothing here does.
    public let reader: String?
    /// What writes results in it; `nil` if nothing here does, or no result can have it.
    public let writer: String?
    /// Whether it is read and written only in worker processes.
    public let needsWorker: Bool

    /// All formats; loads libvips if it is installed.
    public static var all: [FormatSupport] { ImageFormat.allCases.map(FormatSupport.init) }

    private init(_ format: ImageFormat) {
        self.format = format
        needsWorker = format.needsWorker
        let (reader, writer) = Self.libraries(format)
        self.reader = reader
        self.writer = writer
    }

    private static func libraries(_ format: ImageFormat) -> (reader: String?, writer: String?) {
        switch format {
        case .jpeg: ("libjpeg-turbo", "libjpeg-turbo")
        case .png: ("Calotype, libdeflate", "Calotype, libdeflate")
        case .webp: ("libwebp", "libwebp")
        case .avif, .heic: (library("libheif", "heifload_source"), library("libheif", "heifsave_target"))
        case .gif:
            (library("libvips, libnsgif", "gifload_source"), library("libvips, cgif", "gifsave_target"))
        case .tiff: (library("libtiff", "tiffload_source"), library("libtiff", "tiffsave_target"))
        // Their pixels are scaled by libvips.
        case .pnm, .bmp, .tga, .psd, .ico: (library("Calotype", "resize"), nil)
        case .jp2: (library("OpenJPEG", "jp2kload_source"), nil)
        case .jxl: (library("libjxl", "jxlload_source"), library("libjxl", "jxlsave_target"))
        case .svg: (library("librsvg", "svgload_source"), nil)
        case .custom: (nil, nil)
        }
    }

    private static func library(_ name: String, _ operation: String) -> String? {
        guard (try? Libvips.start()) != nil, unsafe cvips_has(operation) != 0 else { return nil }
        return name
    }
}
