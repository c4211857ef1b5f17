/// A part of the source that is kept before it is scaled.
public struct CropArea: Hashable, Sendable {
    /// The width: pixels from 1 on, a fraction of the source's below 1, all of it for 0.
    public var width: Double
    /// The height, likewise.
    public var height: Double
    /// Where it lies; `nil` where ``PictureEdits/gravity`` says so.
    public var gravity: Gravity?

    /// Creates an area.
    public init(width: Double, height: Double, gravity: Gravity? = nil) {
        self.width = width
        self.height = height
        self.gravity = gravity
    }
}

/// How an even border is found that is cut off.
public struct BorderTrim: Hashable, Sendable {
    /// How far a sample may be from the border's colour, 0 to 255.
    public var threshold: Double
    /// The border's colour; that of the top left pixel where none is given.
    public var colour: Colour?
    /// Whether as much is cut off at the left as at the right.
    public var isEqualHorizontally: Bool
    /// Whether as much is cut off at the top as at the bottom.
    public var isEqualVertically: Bool

    /// Creates a trim.
    public init(
        threshold: Double,
        colour: Colour? = nil,
        isEqualHorizontally: Bool = false,
        isEqualVertically: Bool = false
    ) {
        self.threshold = threshold
        self.colour = colour
        self.isEqualHorizontally = isEqualHorizontally
        self.isEqualVertically = isEqualVertically
    }
}
