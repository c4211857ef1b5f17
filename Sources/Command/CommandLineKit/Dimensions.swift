/// A width and a height, as an option such as `--fit 640x480` gives them.
public struct Dimensions: Hashable, Sendable {
    /// The first number.
    public let width: Int
    /// The second number.
    public let height: Int

    /// Creates dimensions.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
