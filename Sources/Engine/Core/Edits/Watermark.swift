/// A picture laid on top of another.
public struct Watermark: Hashable, Sendable {
    /// The position of a watermark.
    public enum Position: Hashable, Sendable {
        /// Once, with offsets as in ``Gravity/place(_:x:y:)``.
        case once(Gravity)
        /// Repeated over the whole picture; `x` and `y` are the spaces between.
        case tiled(x: Double, y: Double)
    }

    /// The encoded picture.
    public var picture: EncodedPicture
    /// The opacity, from 0 (invisible) to 1.
    public var opacity: Double
    /// Where it is laid.
    public var position: Position
    /// Its size as a fraction of the result's size; 0 for its own size.
    public var scale: Double

    /// Creates a watermark.
    public init(
        _ picture: EncodedPicture,
        opacity: Double = 1,
        position: Position = .once(.centre),
        scale: Double = 0
    ) {
        self.picture = picture
        self.opacity = opacity
        self.position = position
        self.scale = scale
    }
}

/// An encoded picture that many requests use, such as a watermark, identified by its name.
public struct EncodedPicture: Hashable, Sendable {
    /// Identifies the bytes, for example by a digest: two pictures with one name count as the same.
    public let name: String
    /// The encoded picture.
    public let bytes: [UInt8]

    /// Creates a picture called `name`.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Whether both have the same name.
    public static func == (one: EncodedPicture, other: EncodedPicture) -> Bool { one.name == other.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
