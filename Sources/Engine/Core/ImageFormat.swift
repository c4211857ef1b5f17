/// A format of encoded pictures.
public enum ImageFormat: String, CaseIterable, Hashable, Sendable {
    case jpeg, png, webp, avif, heic, gif, tiff

    /// The usual end of a file name, without the dot.
    public var fileExtension: String {
        self == .jpeg ? "jpg" : rawValue
    }

    /// The media type registered for the format.
    public var mediaType: String {
        "image/\(rawValue)"
    }
}
