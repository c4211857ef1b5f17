/// A request whose head was not as it has to be, and was answered without the responder.
public struct RefusedRequest: Sendable {
    /// The target as it came; empty where it was no text.
    public let target: String
    /// The client's address without its port.
    public let client: String
    /// The status of the answer.
    public let status: Int
    /// What was wrong with it.
    public let reason: String

    /// Creates the tale of a refusal.
    public init(target: String, client: String, status: Int, reason: String) {
        self.target = target
        self.client = client
        self.status = status
        self.reason = reason
    }
}
