/// How long each part of one exchange took; after redirects, of all hops together.
public struct HTTPTimings: Hashable, Sendable {
    /// Waiting for permits before the requests were sent; zero where no ``HTTPClient`` is in between.
    public var queue = Duration.zero
    /// Resolving the host's name; zero where its address was known.
    public var dns = Duration.zero
    /// Making the TCP connection; zero where one was there.
    public var connect = Duration.zero
    /// The TLS handshake; zero where the connection was there or is not encrypted.
    public var tls = Duration.zero
    /// Handing the request's body to the network; zero where it has none.
    public var sending = Duration.zero
    /// From the request sent to the first byte of the answer.
    public var firstByte = Duration.zero
    /// From the end of the answer's head to the end of its body, or to now while it still comes.
    public var body = Duration.zero

    /// Creates timings of zero.
    public init() {}

    /// The time that counts as the origin's: all but the queue.
    var origin: Duration { dns + connect + tls + sending + firstByte + body }

    static func + (lhs: HTTPTimings, rhs: HTTPTimings) -> HTTPTimings {
        var sum = lhs
        sum.queue += rhs.queue
        sum.dns += rhs.dns
        sum.connect += rhs.connect
        sum.tls += rhs.tls
        sum.sending += rhs.sending
        sum.firstByte += rhs.firstByte
        sum.body += rhs.body
        return sum
    }
}
