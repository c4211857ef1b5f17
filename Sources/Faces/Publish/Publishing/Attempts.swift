internal import CalotypeCore
internal import TaskFlow

/// Decides what follows a failed attempt.
struct AttemptMachine {
    /// What to do next.
    enum Decision: Hashable {
        /// The failure is final.
        case giveUp
        /// Try again after a random pause of at most this length.
        case retry(upTo: Duration)
        /// Try again after exactly this pause.
        case retryAfter(Duration)
        /// Send nothing of the publication for this long, then try again.
        case hold(Duration)
        /// Discard the stored state, and try again immediately.
        case startOver
    }

    private let limits: PublishRetry
    private let pauses: RetryPolicy
    private var failures = 0
    private var waits = 0
    private var busy = 0
    private var restarts = 0
    /// The time, measured from the start, until which attempts may go on without progress.
    private var deadline: Duration

    /// - Parameters:
    ///   - limits: The limits for retries.
    ///   - elapsed: The time between the start and the first attempt.
    init(_ limits: PublishRetry, at elapsed: Duration = .zero) {
        self.limits = limits
        pauses = RetryPolicy(baseDelay: limits.baseDelay, maximumDelay: limits.maximumDelay)
        deadline = elapsed + limits.budget
    }

    /// Extends the deadline by a pause that the server asked for.
    mutating func waited(_ time: Duration) {
        deadline += time
    }

    /// Records that the server has more bytes than ever before; `elapsed` is the time since the start.
    mutating func advanced(at elapsed: Duration) {
        (failures, waits, busy) = (0, 0, 0)
        deadline = elapsed + limits.budget
    }

    /// Decides after a failure; `elapsed` is the time since the start.
    mutating func failed(_ remedy: PublishError.Remedy, at elapsed: Duration) -> Decision {
        // A single attempt that took very long is no reason to stop.
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

/// Repeated attempts at one operation, with pauses that the machine decides on.
struct Attempts {
    private let retry: PublishRetry
    private let random: @Sendable (Duration) -> Duration
    private let pacing: Pacing
    private let isPost: Bool

    /// - Parameters:
    ///   - configuration: The limits for retries.
    ///   - pacing: Delays attempts for as long as the server asks for.
    ///   - isPost: Whether the attempts send the post, which must not be sent twice.
    init(_ configuration: PublisherConfiguration, _ pacing: Pacing, isPost: Bool = false) {
        self.init(configuration.retry, random: configuration.random, pacing, isPost: isPost)
    }

    /// - Parameters:
    ///   - retry: The limits for retries.
    ///   - random: Returns a random duration from zero to the given one.
    ///   - pacing: Delays attempts for as long as the server asks for.
    ///   - isPost: Whether the attempts send the post, which must not be sent twice.
    init(
        _ retry: PublishRetry,
        random: @escaping @Sendable (Duration) -> Duration,
        _ pacing: Pacing,
        isPost: Bool = false
    ) {
        self.retry = retry
        self.random = random
        self.pacing = pacing
        self.isPost = isPost
    }

    /// Runs `operation` repeatedly, until it succeeds or no remedy is left.
    ///
    /// - Parameters:
    ///   - operation: One attempt; receives its number, from one.
    ///   - reached: Returns the maximum number of bytes that the server has had; an increase resets
    ///     the time for attempts.
    ///   - pausing: Called before a pause, with the failure that caused it and its length.
    ///   - startOver: Discards the stored state of an upload that the server has lost.
    /// - Returns: The result of the first successful attempt.
    /// - Throws: The error of the last failure; `CancellationError`.
    func run<Output>(
        _ operation: (_ attempt: Int) async throws -> Output,
        reached: () -> ByteCount = { ByteCount(0) },
        pausing: (PublishError, Duration) -> Void = { _, _ in },
        startOver: () async throws -> Void = {}
    ) async throws -> Output {
        var machine = AttemptMachine(retry, at: pacing.now)
        var highest = ByteCount(0)
        return try await retrying { attempt in
            let start = pacing.now
            try await pacing.wait()
            machine.waited(pacing.now - start)
            return try await operation(attempt)
        } recover: { error, _ in
            try Publication.checkCancellation(error)
            let failure = PublishError(error, isPost: isPost)
            let count = reached()
            if count > highest {
                highest = count
                machine.advanced(at: pacing.now)
            }
            switch machine.failed(failure.remedy, at: pacing.now) {
            case .giveUp: throw Self.final(failure)
            case .retry(let ceiling): try await pause(random(ceiling), after: failure, pausing)
            case .retryAfter(let time): try await pause(time, after: failure, pausing)
            case .hold(let time):
                pacing.hold(time)
                pausing(failure, time)
            case .startOver: try await startOver()
            }
        }
    }

    private func pause(
        _ time: Duration,
        after failure: PublishError,
        _ pausing: (PublishError, Duration) -> Void
    ) async throws {
        pausing(failure, time)
        try await pacing.sleep(time)
    }

    private static func final(_ failure: PublishError) -> CalotypeError {
        guard failure.remedy == .startOver else { return failure.error }
        return CalotypeError(
            .uploadLost,
            "the server lost the upload repeatedly: \(failure.error.message)",
            stage: .response,
            url: failure.error.url,
            cause: failure.error
        )
    }
}

/// Delays all requests of a publication for as long as the server asks for.
final class Pacing: Sendable {
    private let clock: any Clock<Duration>
    private let progress: PublishProgress
    /// The time, measured from the start, until which nothing is sent.
    private let end = Guarded(Duration.zero)
    private let stopwatch: Stopwatch

    init(_ clock: any Clock<Duration>, progress: PublishProgress) {
        self.clock = clock
        self.progress = progress
        stopwatch = Stopwatch(clock)
    }

    /// The time since the start.
    var now: Duration { stopwatch.now }

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
}
