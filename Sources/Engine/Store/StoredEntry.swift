/// What a lasting store keeps under one key: bytes, and what is to be known about them.
///
/// Both are opaque to the store, which gives them back as they were or not at all.
public struct StoredEntry: Hashable, Sendable {
    /// What is to be known about ``bytes``, a few hundred bytes.
    public var metadata: [UInt8]
    /// A picture or its source.
    public var bytes: [UInt8]

    /// Creates an entry.
    public init(metadata: [UInt8], bytes: [UInt8]) {
        self.metadata = metadata
        self.bytes = bytes
    }
}
