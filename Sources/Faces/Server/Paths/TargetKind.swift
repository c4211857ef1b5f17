/// What the target of a request is for, told by its first segment.
public enum TargetKind: Hashable, Sendable {
    /// A picture: the first segment is a signature.
    case picture
    /// Facts about a source: `/info`, a signature and the rest of a picture's path.
    case information
    /// Something that the server itself has, such as `/health`; the first segment without slashes.
    case reserved(String)

    /// The first segments that are no signatures, besides that of ``information``.
    public static let reservedSegments: Set<String> = ["app", "api", "health", "metrics", "favicon.ico"]
    static let informationSegment = "info"

    /// What `path`, without its first slash, is for.
    init(path: Substring) {
        let first = path.utf8.prefix { $0 != UInt8(ascii: "/") }
        let segment = String(Substring(first))
        if segment == Self.informationSegment {
            self = .information
        } else {
            self = Self.reservedSegments.contains(segment) ? .reserved(segment) : .picture
        }
    }
}
