/// The name of a stored picture: everything that tells it from others, as one line of text.
///
/// The text is stable from run to run. It holds header values in the clear, so a store that lasts writes a digest of it.
public struct StoreKey: Hashable, Sendable {
    /// The line itself.
    public let text: String

    /// Creates a key from its text.
    public init(_ text: String) {
        self.text = text
    }
}
