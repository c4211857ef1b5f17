internal import CalotypeCore

extension MediaType {
    /// The format, where it is one that the pipeline reads.
    var imageFormat: ImageFormat? {
        ImageFormat.allCases.first { $0.mediaType == name }
    }
}

extension OutputFormat {
    /// What comes out; `nil` where that depends on what goes in.
    var mediaType: MediaType? {
        switch self {
        case .jpeg: MediaType(ImageFormat.jpeg.mediaType)
        case .png: MediaType(ImageFormat.png.mediaType)
        case .webp: MediaType(ImageFormat.webp.mediaType)
        case .avif: MediaType(ImageFormat.avif.mediaType)
        case .heic: MediaType(ImageFormat.heic.mediaType)
        case .gif: MediaType(ImageFormat.gif.mediaType)
        case .tiff: MediaType(ImageFormat.tiff.mediaType)
        case .original, .suited: nil
        }
    }
}
