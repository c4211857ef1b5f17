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
    /// What a link counts as, however long it is; its own length where `nil`.
    public var linkCharacters: Int?
    /// The most characters of an alt text.
    public var altTextCharacters: Int?
    /// Who may be the ones to see a post, where the server does not know all of them.
    public var visibilities: Set<Post.Visibility>?
    /// The least time from now to the moment when a post is to be shown.
    public var scheduleAhead: Duration?

    /// Creates limits that limit nothing.
    public init() {}

    /// How many of ``textCharacters`` a text takes, at least: the server may count more.
    ///
    /// Where links have a length of their own, the host of a name such as `@ada@example.org` is not counted either.
    package func characterCount(of text: String) -> Int {
        guard let linkCharacters else { return text.count }
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
            .reduce(-1) { $0 + 1 + Self.characterCount(of: $1, link: linkCharacters) }
    }

    private static func characterCount(of word: Substring, link: Int) -> Int {
        for scheme in ["https://", "http://"] {
            if let range = word.firstRange(of: scheme) { return word[..<range.lowerBound].count + link }
        }
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].isEmpty ? 1 + parts[1].count : word.count
    }
}
