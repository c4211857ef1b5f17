/// What a pipeline keeps in its lasting store.
public struct StoredContents: OptionSet, Hashable, Sendable {
    /// The bits of the kinds.
    public let rawValue: Int

    /// Creates contents from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Encoded pictures as they were asked for.
    public static let renditions = StoredContents(rawValue: 1)
    /// The bytes that pictures are made of, as far as they fit into memory; and that an origin has none (404, 410).
    public static let sources = StoredContents(rawValue: 2)
    /// What ``ImagePipeline/document(for:read:)`` loads, such as the answers of a search.
    public static let documents = StoredContents(rawValue: 4)
}
