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
