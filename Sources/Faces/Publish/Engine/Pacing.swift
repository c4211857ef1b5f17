internal import TaskFlow

/// Holds back all requests of a publication for as long as the server wishes.
final class Pacing: Sendable {
    private let clock: any Clock<Duration>
    private let progress: PublishProgress
    /// The time since the start until which nothing is sent.
    private let end = Guarded(Duration.zero)
    private let elapsed: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>, progress: PublishProgress) {
        self.clock = clock
        self.progress = progress
        elapsed = Self.stopwatch(clock)
    }

    /// The time since the start.
    var now: Duration { elapsed() }

    /// Sends nothing for `duration` from now on.
    func hold(_ duration: Duration) {
        let now = now
        end.withLock { $0 = max($0, now + duration) }
        progress.update { $0.rateLimitedUntil = .now + duration }
    }

    /// Waits until requests may be sent.
    func wait() async throws {
        while case let rest = end.withLock(\.self) - now, rest > .zero { try await clock.sleep(for: rest) }
        try Task.checkCancellation()
        if progress.current.rateLimitedUntil != nil { progress.update { $0.rateLimitedUntil = nil } }
    }

    func sleep(_ duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    /// Opens the clock, whose type is not told.
    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
