/// How paths are read.
public struct PathConfiguration: Sendable {
    /// What comes before the signature, such as `/images`; nothing by default.
    public var prefix = ""

    /// Creates the default configuration.
    public init() {}
}
