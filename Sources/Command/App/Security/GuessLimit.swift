import TaskFlow

/// Lets so many wrong guesses of a secret through within a time, whoever guesses.
///
/// It keeps the times of that many guesses and nothing else, so that no number of guesses or addresses makes it grow.
final class GuessLimit: Sendable {
    /// There were too many wrong guesses; none is looked at before the time has passed.
    struct Exceeded: Error {
        let retryAfter: Duration
    }

    private let most: Int
    private let time: Duration
    private let now: @Sendable () -> Duration
    /// When the last wrong guesses were made, the oldest first.
    private let wrong = Guarded<[Duration]>([])

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - most: How many wrong guesses are looked at within `time`, 10 by default.
    ///   - time: One minute by default.
    ///   - clock: Measures it.
    init(_ most: Int = 10, within time: Duration = .seconds(60), clock: any Clock<Duration>) {
        self.most = most
        self.time = time
        now = Self.stopwatch(clock)
    }

    /// Looks at a guess.
    ///
    /// - Parameter isRight: Looks whether it is right; it is called under a lock, so that guesses at the same time count one by one.
    /// - Returns: Whether it is right.
    /// - Throws: ``Exceeded`` where it is not looked at, be it right or wrong: else the limit would tell the right one.
    func check(_ isRight: () -> Bool) throws(Exceeded) -> Bool {
        let now = now()
        let result: Result<Bool, Exceeded> = wrong.withLock { wrong in
            wrong.removeAll { $0 + time <= now }
            if wrong.count >= most, let oldest = wrong.first {
                return .failure(Exceeded(retryAfter: oldest + time - now))
            }
            let isRight = isRight()
            if !isRight { wrong.append(now) }
            return .success(isRight)
        }
        return try result.get()
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
