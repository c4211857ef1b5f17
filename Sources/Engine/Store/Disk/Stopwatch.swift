/// Tells the time since it was made, by a clock of any kind.
struct Stopwatch {
    /// The time since it was made.
    let elapsed: () -> Duration

    init(_ clock: any Clock<Duration>) {
        elapsed = Self.started(clock)
    }

    private static func started(_ clock: some Clock<Duration>) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
