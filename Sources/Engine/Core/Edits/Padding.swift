/// Space around a picture in pixels, 0 or more each.
public struct Padding: Hashable, Sendable {
    /// Pixels above.
    public var top: Int
    /// Pixels at the right.
    public var right: Int
    /// Pixels below.
    public var bottom: Int
    /// Pixels at the left.
    public var left: Int

    /// Creates a padding; none by default.
    public init(top: Int = 0, right: Int = 0, bottom: Int = 0, left: Int = 0) {
        self.top = top
        self.right = right
        self.bottom = bottom
        self.left = left
    }
}

/// An opaque colour in sRGB.
public struct Colour: Hashable, Sendable {
    /// Red, 0 to 255.
    public var red: UInt8
    /// Green, 0 to 255.
    public var green: UInt8
    /// Blue, 0 to 255.
    public var blue: UInt8

    /// Creates a colour.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// White.
    public static let white = Colour(red: 255, green: 255, blue: 255)
}
