/// A setting for the reading of paths that makes no sense; a server does not start with it.
public struct PathConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what it has to be.
    public var message: String
    /// The message.
    public var description: String { message }

    /// Creates an error.
    public init(_ message: String) {
        self.message = message
    }
}
