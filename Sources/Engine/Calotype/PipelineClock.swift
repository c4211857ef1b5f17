/// The time since the pipeline was made, on whatever clock it was given.
package struct PipelineClock: Sendable {
    private let read: @Sendable () -> Duration

    /// Creates a clock that shows zero now.
    package init(_ clock: any Clock<Duration>) {
        read = Self.reader(clock)
    }

    /// The time since the pipeline was made.
    package var now: Duration { read() }

    private static func reader<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let origin = clock.now
        return { origin.duration(to: clock.now) }
    }
}
