/// One rendition to make of a picture: its scaling and its encoding.
public struct RenditionSpec: Hashable, Sendable {
    /// How the picture is scaled and cut.
    public var transform: Transform
    /// What it is encoded as.
    public var output: OutputFormat

    /// Creates a spec.
    public init(_ transform: Transform, _ output: OutputFormat) {
        self.transform = transform
        self.output = output
    }
}
