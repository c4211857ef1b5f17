/// How long each part of one exchange took.
public struct HTTPTimings: Hashable, Sendable {
    /// Resolving the host's name; zero where its address was known.
    public var dns = Duration.zero
    /// Making the TCP connection; zero where one was there.
    public var connect = Duration.zero
    /// The TLS handshake; zero where the connection was there or is not encrypted.
    public var tls = Duration.zero
    /// From the request sent to the first byte of the answer.
    public var firstByte = Duration.zero
    /// From the end of the answer's head to the end of its body, or to now while it still comes.
    public var body = Duration.zero

    /// Creates timings of zero.
    public init() {}
}
