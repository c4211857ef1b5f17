public import CalotypeHTTP

/// Where a publisher keeps its journal, and how long it tries on.
public struct PublisherConfiguration: Sendable {
    /// The folder of the journal; it is created where it is missing.
    public var journal: String
    /// How many media are sent at a time; as the destination says where `nil`.
    public var width: Int?
    /// Whether photos keep the place where they were made, which stands in their metadata; by default they are sent without it.
    public var keepsLocation = false
    /// How long the publisher tries on after failures.
    public var retry = PublishRetry()
    /// How long the end of a cancelled publication may take that removes from the server what is there, 10 s by default.
    public var cleanupTime = Duration.seconds(10)
    /// How long a server may need to store what it was sent before the request was cut, 3 s by default: only then it is looked at
    /// whether anything is left there.
    public var settlingTime = Duration.seconds(3)
    /// What measures pauses.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Tells the time for signatures and the journal.
    public var wallClock: @Sendable () -> WallTime = WallTime.now
    /// Picks a duration from zero to the given one.
    public var random: @Sendable (Duration) -> Duration = { $0 * Double.random(in: 0...1) }
    /// Is told of each write into the journal, before and after it: there a test lets its process die.
    package var onJournal: @Sendable (JournalMoment) -> Void = { _ in }

    /// Creates the default configuration with a journal in the folder `journal`.
    public init(journal: String) {
        self.journal = journal
    }
}

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

/// What to do where the journal knows the same post to the same destination.
public enum Repetition: String, Hashable, Sendable {
    /// Throws `already_published` or `publish_unfinished`.
    case refuse
    /// Goes on where the last one came to; gives the published post where it had come to its end.
    ///
    /// Throws `nothing_to_resume` if there is nothing to resume, and `source_changed` if its files were others.
    case resume
    /// Goes on as ``resume`` does, or begins where there is nothing to go on with.
    case resumeOrBegin
    /// Publishes it once more.
    case again
}
