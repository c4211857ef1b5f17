/// A host and a port to listen on.
public struct ListeningAddress: Hashable, Sendable {
    /// An address, such as `127.0.0.1`.
    public let host: String
    /// A port; with 0 the system chooses one.
    public let port: Int

    /// Creates an address.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}
