internal import CalotypeCore
internal import TaskFlow

/// Decides what follows a failed attempt.
struct AttemptMachine {
    /// What to do.
    enum Decision: Hashable {
        /// The failure is final.
        case giveUp
        /// Try again after a pause, a random one of at most so long.
        case retry(upTo: Duration)
        /// Try again after exactly this pause.
        case retryAfter(Duration)
        /// Nothing of the publication is sent for so long, then try again.
        case hold(Duration)
        /// Forget what was remembered, and try again at once.
        case startOver
    }

    private let limits: PublishRetry
    private let pauses: RetryPolicy
    private var failures = 0
    private var waits = 0
    private var busy = 0
    private var restarts = 0
    /// The time since the start that attempts without success may take, as of the last success.
    private var deadline: Duration

    /// - Parameters:
    ///   - limits: How long to try on.
    ///   - elapsed: The time since the start when the first attempt begins.
    init(_ limits: PublishRetry, at elapsed: Duration = .zero) {
        self.limits = limits
        pauses = RetryPolicy(baseDelay: limits.baseDelay, maximumDelay: limits.maximumDelay)
        deadline = elapsed + limits.budget
    }

    /// Takes note of a wait that the server asked for, which nobody is to blame for.
    mutating func waited(_ time: Duration) {
        deadline += time
    }

    /// Takes note that the server has more bytes than ever before; `elapsed` is the time since the start.
    mutating func advanced(at elapsed: Duration) {
        (failures, waits, busy) = (0, 0, 0)
        deadline = elapsed + limits.budget
    }

    /// Decides after a failure; `elapsed` is the time since the start.
    mutating func failed(_ remedy: PublishError.Remedy, at elapsed: Duration) -> Decision {
        // One attempt that took very long is no reason to give up.
        guard elapsed < deadline || failures + waits + busy + restarts == 0 else { return .giveUp }
        switch remedy {
        case .none: return .giveUp
        case .retry, .settle: return countedRetry()
        case .wait(let wish): return wait(wish)
        case .busy:
            busy += 1
            return .retryAfter(min(.seconds(busy), .seconds(5)))
        case .startOver:
            restarts += 1
            return restarts > limits.restarts ? .giveUp : .startOver
        }
    }

    private mutating func countedRetry() -> Decision {
        failures += 1
        guard failures < limits.attempts else { return .giveUp }
        return .retry(upTo: pauses.ceiling(afterAttempt: failures))
    }

    private mutating func wait(_ wish: Duration?) -> Decision {
        waits += 1
        guard waits < limits.attempts else { return .giveUp }
        let pause = wish ?? pauses.ceiling(afterAttempt: waits + 2)
        guard pause <= limits.longestWait else { return .giveUp }
        return .hold(pause)
    }
}

/// The attempts at one thing: it waits between them as the machine decides.
struct Attempts {
    private var machine: AttemptMachine
    private let pacing: Pacing
    private let random: @Sendable (Duration) -> Duration
    private var highest = ByteCount(0)

    init(_ configuration: PublisherConfiguration, _ pacing: Pacing) {
        machine = AttemptMachine(configuration.retry, at: pacing.now)
        self.pacing = pacing
        random = configuration.random
    }

    /// Waits until requests may be sent.
    mutating func wait() async throws {
        let start = pacing.now
        try await pacing.wait()
        machine.waited(pacing.now - start)
    }

    /// Takes note of how many bytes the server has at most had.
    mutating func reached(_ count: ByteCount) {
        guard count > highest else { return }
        highest = count
        machine.advanced(at: pacing.now)
    }

    /// Waits for the next attempt.
    ///
    /// - Parameters:
    ///   - failure: Why the last one failed.
    ///   - announce: Is told how long the wait is, before it.
    /// - Returns: Whether the next one is to start over.
    /// - Throws: The failure's error where there is no next attempt; `CancellationError`.
    mutating func recover(from failure: PublishError, announce: (Duration) -> Void) async throws -> Bool {
        switch machine.failed(failure.remedy, at: pacing.now) {
        case .giveUp: throw Self.final(failure)
        case .retry(let ceiling): try await sleep(random(ceiling), announce)
        case .retryAfter(let pause): try await sleep(pause, announce)
        case .hold(let pause):
            pacing.hold(pause)
            announce(pause)
        case .startOver: return true
        }
        return false
    }

    private func sleep(_ pause: Duration, _ announce: (Duration) -> Void) async throws {
        announce(pause)
        try await pacing.sleep(pause)
    }

    private static func final(_ failure: PublishError) -> CalotypeError {
        guard failure.remedy == .startOver else { return failure.error }
        return CalotypeError(
            .uploadLost,
            "the server lost the upload again and again: \(failure.error.message)",
            stage: .response,
            url: failure.error.url,
            cause: failure.error
        )
    }
}

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
