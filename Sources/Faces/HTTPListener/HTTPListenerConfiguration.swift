public import CalotypeCore

/// Where a listener listens, and what its clients may cost.
public struct HTTPListenerConfiguration: Hashable, Sendable {
    /// The address to listen on, IPv4 or IPv6, or `localhost`; 127.0.0.1 by default.
    ///
    /// `::` takes IPv4 clients too.
    public var host = "127.0.0.1"
    /// The port, 8080 by default; 0 lets the system choose one.
    public var port = 8080
    /// The most connections at a time, 2,048 by default; more are not accepted until some have ended.
    public var connections = 2048
    /// The file descriptors of the process that connections never take, 0 by default: what the answers need, such as connections
    /// to other servers.
    ///
    /// Where no more than these are free, no connection is accepted until some have ended, as with ``connections``.
    public var reservedDescriptors = 0
    /// The most connections at a time from one address; 0, the default, for as many as there are.
    ///
    /// More are closed at once. IPv6 addresses that share their first 64 bits count as one.
    public var connectionsPerAddress = 0
    /// The longest request line, 16 KiB by default; a longer one is answered with 414.
    public var requestLine = ByteCount.kibibytes(16)
    /// The most bytes of the request line and all header fields, 32 KiB by default; more are answered with 431.
    public var headerBytes = ByteCount.kibibytes(32)
    /// The most header fields, 100 by default; more are answered with 431.
    public var headerCount = 100
    /// The most bytes of a request's body, 16 MiB by default; more are answered with 413.
    ///
    /// ``HTTPResponding/bodyLimit(for:)`` may give another limit for a request.
    public var bodyBytes = ByteCount.mebibytes(16)
    /// The longest time in which a client sends nothing and takes nothing, 10 s by default; then its connection is closed.
    ///
    /// The time in which it waits for an answer does not count.
    public var idleTimeout = Duration.seconds(10)
    /// The fewest bytes a second that a client has to send of a body or to take of an answer, on average over
    /// ``idleTimeout``, 100 by default; a slower one counts as idle.
    public var slowestRate = ByteCount(100)
    /// The longest wait for the next request on a connection that had one, 90 s by default.
    public var keepAliveTimeout = Duration.seconds(90)
    /// The most time for the head of a request from its first byte on, 10 s by default; then it is answered with 408.
    public var headTimeout = Duration.seconds(10)
    /// What the answers' `Server` field says; none is sent where it is empty.
    public var name = "calotype"

    /// Creates the default configuration.
    public init() {}
}
