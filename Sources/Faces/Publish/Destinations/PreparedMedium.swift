/// A medium as a file that is ready to be sent.
public struct PreparedMedium: Hashable, Sendable {
    /// Its place in the post, from 0.
    public let position: Int
    /// The name that the server is told: no path, no control characters, at most 200 bytes.
    public let name: String
    /// The file.
    public let file: SourceFile
    /// What it is.
    public let type: MediaType
    /// What can be seen, for those who cannot see it.
    public let altText: String?
    /// The point that stays in sight.
    public let focus: Media.Focus?
    /// The picture that stands for it.
    public let thumbnail: SourceFile?

    /// Creates a medium of `file`.
    public init(
        position: Int,
        name: String,
        file: SourceFile,
        type: MediaType,
        altText: String? = nil,
        focus: Media.Focus? = nil,
        thumbnail: SourceFile? = nil
    ) {
        self.position = position
        self.name = name
        self.file = file
        self.type = type
        self.altText = altText
        self.focus = focus
        self.thumbnail = thumbnail
    }
}
