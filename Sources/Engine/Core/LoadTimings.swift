/// How long each part of a picture's way took.
public struct LoadTimings: Hashable, Sendable {
    /// Waiting for permits: host, connection, memory, decode.
    public var queue = Duration.zero
    /// Resolving the host's name.
    public var dns = Duration.zero
    /// Connecting, TLS included.
    public var connect = Duration.zero
    /// From the request sent to the first byte of the answer.
    public var firstByte = Duration.zero
    /// Receiving the body.
    public var body = Duration.zero
    /// Decoding and scaling.
    public var decode = Duration.zero
    /// Encoding.
    public var encode = Duration.zero
    /// From the call to the result.
    public var total = Duration.zero

    /// Creates timings of zero.
    public init() {}
}
