public import CalotypeCore

/// What a server takes; a limit that it did not tell is `nil`.
public struct MediaLimits: Hashable, Sendable {
    /// The most media of one post.
    public var count: Int?
    /// The media types that are taken, such as `image/jpeg`.
    public var types: Set<String>?
    /// The most bytes of a picture; larger ones are made smaller before they are sent.
    public var imageBytes: ByteCount?
    /// The most pixels of a picture; larger ones are made smaller before they are sent.
    public var imagePixels: Int?
    /// The most bytes of anything else.
    public var fileBytes: ByteCount?
    /// The most characters of the text.
    public var textCharacters: Int?
    /// The most characters of an alt text.
    public var altTextCharacters: Int?

    /// Creates limits that limit nothing.
    public init() {}
}
