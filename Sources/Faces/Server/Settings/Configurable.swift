/// What settings are put into: a value with a default for everything.
public protocol Configurable: Sendable {
    /// Creates the default.
    init()
}

extension ServerConfiguration: Configurable {}
