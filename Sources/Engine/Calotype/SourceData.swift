public import CalotypeCore

/// A source's very bytes.
public struct SourceData: Hashable, Sendable {
    /// What is asked of the bytes.
    public enum Check: Hashable, Sendable {
        /// They are a whole picture: format and limits are checked on the way in, the structure to its end.
        case picture
        /// They may be anything, such as JSON; only the limit on their number holds.
        case none
    }

    /// The bytes.
    public let bytes: [UInt8]
    /// What the picture's header tells; `nil` for bytes that were not checked.
    public let facts: ImageFacts?
}
