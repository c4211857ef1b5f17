/// How often a service is asked.
public struct CallLimit: Hashable, Sendable {
    /// The most calls within any minute.
    public let callsPerMinute: Int
    /// The most calls at once, after a time without any.
    public let burst: Int

    /// The real App Store's, which allows about 20 calls a minute: the first five at once, then one each four seconds.
    public static let appStore = CallLimit(callsPerMinute: 20, burst: 5)

    /// Creates a limit; less than one call a minute is one, and a burst is less than the calls of a minute, if these are
    /// more than one.
    public init(callsPerMinute: Int, burst: Int = 1) {
        self.callsPerMinute = max(callsPerMinute, 1)
        self.burst = max(min(burst, self.callsPerMinute - 1), 1)
    }

    /// The time in which one more call is allowed: a burst and what is allowed in the minute after it are no more than
    /// the calls of a minute.
    var interval: Duration {
        .seconds(60) / max(callsPerMinute - burst, 1)
    }
}
