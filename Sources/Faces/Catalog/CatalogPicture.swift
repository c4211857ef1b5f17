/// A picture that a catalogue names: where it is, and what people call it.
public struct CatalogPicture: Hashable, Sendable {
    /// The URL, as the catalogue gives it.
    public var url: String
    /// What it shows, in a few words; may be empty.
    public var title: String

    /// Creates a picture.
    public init(url: String, title: String = "") {
        self.url = url
        self.title = title
    }
}
