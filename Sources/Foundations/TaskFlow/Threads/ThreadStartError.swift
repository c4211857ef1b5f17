/// The system refused to create a thread.
public struct ThreadStartError: Error, Sendable, CustomStringConvertible {
    /// The error number of `pthread_create`.
    public let status: Int32

    /// What happened, for people.
    public var description: String { "no thread could be created (error \(status))" }
}
