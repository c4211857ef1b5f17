/// Where a smaller area lies in a larger one.
public enum Gravity: Hashable, Sendable {
    /// At an edge or a corner or in the middle, moved by offsets.
    ///
    /// Offsets of 1 and more either way are pixels before ``PictureEdits/pixelRatio``, smaller ones fractions of the larger
    /// area. They move away from the edge, in the middle to the right and down.
    case place(Place, x: Double, y: Double)
    /// Around a point that is given as fractions of the larger area, 0 to 1.
    case focus(x: Double, y: Double)
    /// Where the eye is drawn to, as libvips' attention finds it.
    case attention

    /// An edge, a corner or the middle.
    public enum Place: String, Hashable, Sendable, CaseIterable {
        case centre, north, south, east, west, northEast, northWest, southEast, southWest
    }

    /// In the middle.
    public static let centre = Gravity.place(.centre, x: 0, y: 0)
}
