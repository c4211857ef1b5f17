/// What the journal has of one medium.
public struct ItemRecord: Hashable, Sendable {
    /// Its place in the post, from 0.
    public let position: Int
    /// The name that the server is told.
    public let name: String
    /// What the source was when it was first looked at: its SHA-256, or a description of what makes it.
    package let origin: String
    /// What is sent; `nil` as long as that has to be made.
    package let file: SourceFile?
    /// What it is.
    package let type: MediaType?
    /// What the destination remembered of the upload.
    package let remembered: RememberedState
    /// What the server calls it, when it is ready.
    public let uploaded: UploadedMedium?

    /// Whether the server may have something of it.
    var isAtServer: Bool { uploaded != nil || remembered != .none }

    /// Whether its upload did not come to its end, so that the server may have it or not, or get it only later.
    var isCut: Bool { uploaded == nil && remembered != .none }
}
