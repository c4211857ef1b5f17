/// Which decoder a picture was made by.
public enum PictureDecoder: Hashable, Sendable {
    /// Calotype's own row-by-row path.
    case fast
    /// libvips; `reason` says in a few words why the fast path did not take the source.
    case libvips(reason: String)

    /// `fast` or `libvips`, for reports.
    public var name: String {
        switch self {
        case .fast: "fast"
        case .libvips: "libvips"
        }
    }
}
