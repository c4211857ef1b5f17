/// A run that cannot begin: nothing has been requested or written.
public struct FetchSetupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what can be done.
    public let description: String

    /// Creates an error.
    public init(_ description: String) {
        self.description = description
    }
}
