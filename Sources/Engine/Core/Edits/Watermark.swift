/// A picture that is laid on top of another.
public struct Watermark: Hashable, Sendable {
    /// Where it is laid.
    public enum Position: Hashable, Sendable {
        /// Once; offsets as ``Gravity/place(_:x:y:)`` has them.
        case once(Gravity)
        /// Again and again, over the whole picture; `x` and `y` are the spaces between.
        case tiled(x: Double, y: Double)
    }

    /// The encoded picture.
    public var picture: EncodedPicture
    /// 0 (not to be seen) to 1.
    public var opacity: Double
    /// Where it is laid.
    public var position: Position
    /// Its size as a fraction of the result's; 0 for its own.
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

/// An encoded picture that many requests use, such as a watermark; told apart by its name.
public struct EncodedPicture: Hashable, Sendable {
    /// Stands for the bytes, such as a digest of them: two pictures of one name are taken for the same.
    public let name: String
    /// The encoded picture.
    public let bytes: [UInt8]

    /// Creates a picture called `name`.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Whether both have one name.
    public static func == (one: EncodedPicture, other: EncodedPicture) -> Bool { one.name == other.name }

    /// Adds the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
