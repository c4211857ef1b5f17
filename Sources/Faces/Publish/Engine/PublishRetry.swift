/// How long the publisher tries on.
///
/// All counts and times begin anew whenever the server acknowledges more bytes than before.
public struct PublishRetry: Hashable, Sendable {
    /// The most attempts in a row that get no further, 8 by default.
    public var attempts = 8
    /// The longest pause after the first failure, 500 ms by default; each next one is twice as long, and random below that.
    public var baseDelay = Duration.milliseconds(500)
    /// The longest pause that the publisher chooses, 30 s by default.
    public var maximumDelay = Duration.seconds(30)
    /// The longest pause that a server may ask for, 35 min by default, which is Mastodon's window for uploads and a little more.
    public var longestWait = Duration.seconds(35 * 60)
    /// The time for attempts that get no further, waits that the server asked for not counted, 15 min by default.
    public var budget = Duration.seconds(15 * 60)
    /// How often an upload that the server has lost is begun anew, 2 by default.
    public var restarts = 2

    /// Creates the default values.
    public init() {}
}
