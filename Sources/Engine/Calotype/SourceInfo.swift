public import CalotypeCore

/// What a source is: its header's facts and its length.
public struct SourceInfo: Hashable, Sendable {
    /// What the picture's header tells.
    public let facts: ImageFacts
    /// The length of the encoded picture.
    public let bytes: ByteCount
}
