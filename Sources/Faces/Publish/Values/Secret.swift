/// A password, token or key, which no log, report or error shows.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself.
    public let text: String

    /// Takes a secret.
    public init(_ text: String) {
        self.text = text
    }

    /// Never the text.
    public var description: String { "(secret)" }
    /// Never the text.
    public var debugDescription: String { description }
    /// Without the text.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
