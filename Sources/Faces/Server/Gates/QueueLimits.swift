/// How many requests for pictures may be in the works at a time: loading, waiting for a decode, decoding.
public struct QueueLimits: Hashable, Sendable {
    /// The most in all, besides those that are being decoded: 1,024 by default; 0 for as many as there are connections.
    public var length = 1_024
    /// The most for sources of one host, 256 by default; 0 for as many as there are in all.
    public var perSource = 256

    /// Creates the default limits.
    public init() {}
}
