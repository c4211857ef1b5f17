public import CalotypeHTTP

/// A publisher's journal folder, and its limits for retries.
public struct PublisherConfiguration: Sendable {
    /// The journal's folder; it is created if it is missing.
    public var journal: String
    /// How many media to send concurrently; `nil` for the destination's own width.
    public var width: Int?
    /// Whether photos keep the GPS position in their metadata.
    ///
    /// By default they are sent without it.
    public var keepsLocation = false
    /// How long the publisher retries after failures.
    public var retry = PublishRetry()
    /// The maximum time for removing the uploads of a cancelled publication from the server.
    ///
    /// 10 s by default.
    public var cleanupTime = Duration.seconds(10)
    /// How long a server may take to store the data of a request that was cut off, 3 s by default.
    ///
    /// Only after that time does the publisher check whether anything is left there.
    public var settlingTime = Duration.seconds(3)
    /// The clock that measures pauses.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Returns the current time, for signatures and the journal.
    public var wallClock: @Sendable () -> WallTime = WallTime.now
    /// Returns a random duration from zero to the given one.
    public var random: @Sendable (Duration) -> Duration = { $0 * Double.random(in: 0...1) }
    /// Called before and after each write to the journal; a test ends its process here.
    package var onJournal: @Sendable (JournalMoment) -> Void = { _ in }

    /// Creates the default configuration with a journal in the folder `journal`.
    public init(journal: String) {
        self.journal = journal
    }
}

/// How long the publisher retries.
///
/// All counts and times start again whenever the server acknowledges more bytes than before.
public struct PublishRetry: Hashable, Sendable {
    /// The maximum number of consecutive attempts without progress, 8 by default.
    public var attempts = 8
    /// The maximum pause after the first failure, 500 ms by default.
    ///
    /// The maximum doubles with each failure, and the actual pause is random.
    public var baseDelay = Duration.milliseconds(500)
    /// The maximum pause that the publisher chooses, 30 s by default.
    public var maximumDelay = Duration.seconds(30)
    /// The maximum pause that a server may ask for, 35 min by default.
    ///
    /// That is a little more than Mastodon's window for uploads.
    public var longestWait = Duration.seconds(35 * 60)
    /// The time for attempts without progress, 15 min by default.
    ///
    /// Pauses that the server asked for do not count.
    public var budget = Duration.seconds(15 * 60)
    /// How often an upload that the server has lost is restarted, 2 by default.
    public var restarts = 2

    /// Creates the default values.
    public init() {}
}

/// What to do if the journal has the same post to the same destination.
public enum Repetition: String, Hashable, Sendable {
    /// Throws `already_published` or `publish_unfinished`.
    case refuse
    /// Resumes the last publication; returns the published post if it is complete.
    ///
    /// Throws `nothing_to_resume` if there is nothing to resume, and `source_changed` if a file has changed.
    case resume
    /// Resumes as ``resume`` does, or begins if there is nothing to resume.
    case resumeOrBegin
    /// Publishes it once more.
    case again
}
