import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// Counts what one source has cost so far, for its receipt or its error.
final class LoadMeter: Sendable {
    private struct Reading {
        var attempts = 0
        var timings = LoadTimings()
        var facts: ImageFacts?
        var version: SourceVersion?
        var answer: OriginAnswer?
        var isFinal = false
    }

    private let reading = Guarded(Reading())

    /// Counts a request that is about to be made.
    func countAttempt() {
        reading.withLock {
            $0.attempts += 1
            $0.answer = nil
        }
    }

    /// Adds the time spent waiting for permits.
    func addQueue(_ time: Duration) {
        reading.withLock { $0.timings.queue += time }
    }

    /// Adds the time that a name took.
    func addDNS(_ time: Duration) {
        reading.withLock { $0.timings.dns += time }
    }

    /// Adds what one exchange took, from its connection on.
    func add(_ timings: HTTPTimings) {
        reading.withLock {
            $0.timings.connect += timings.connect + timings.tls
            $0.timings.firstByte += timings.firstByte
            $0.timings.body += timings.body
        }
    }

    /// Keeps what the header told.
    func note(_ facts: ImageFacts?) {
        reading.withLock { $0.facts = facts }
    }

    /// Keeps which version the last answer was about.
    func note(_ version: SourceVersion) {
        reading.withLock { $0.version = version }
    }

    /// Keeps the error response that the current attempt has ended with.
    func note(_ answer: OriginAnswer) {
        reading.withLock { $0.answer = answer }
    }

    /// Notes that no other attempt helps: what this one received was passed on, and cannot be taken back.
    func noteFinal() {
        reading.withLock { $0.isFinal = true }
    }

    /// The error response that the last attempt has ended with.
    var answer: OriginAnswer? { reading.withLock { $0.answer } }

    /// Whether no other attempt helps.
    var isFinal: Bool { reading.withLock { $0.isFinal } }

    /// Which version the last answer was about.
    var version: SourceVersion? { reading.withLock { $0.version } }

    /// What the complete source has cost.
    func receipt(byteCount: Int) -> SourceReceipt {
        let reading = reading.withLock { $0 }
        return SourceReceipt(
            byteCount: ByteCount(byteCount),
            attempts: reading.attempts,
            timings: reading.timings,
            facts: reading.facts,
            version: reading.version
        )
    }

    /// The error with what the source has cost.
    func failure(_ error: CalotypeError) -> LoadError {
        let reading = reading.withLock { $0 }
        var failure = LoadError(
            error,
            attempts: reading.attempts,
            timings: reading.timings,
            source: reading.facts
        )
        failure.answer = reading.answer
        return failure
    }

    /// The origin's response that the source does not exist, if that is the error.
    func absence(_ error: CalotypeError) -> SourceVersion? {
        guard let version, version.isAbsence, error.code == .http(status: version.response.status)
        else { return nil }
        return version
    }
}

/// Takes the time of one attempt: what the name took, what it waited for permits, and what it used of the source's allowance.
final class AttemptStopwatch: Sendable {
    private let meter: LoadMeter
    private let allowance: TimeAllowance
    private let clock: Stopwatch
    private let started = Guarded<Duration?>(nil)

    init(_ meter: LoadMeter, _ allowance: TimeAllowance, _ clock: Stopwatch) {
        self.meter = meter
        self.allowance = allowance
        self.clock = clock
    }

    /// A request, the first or that of a redirect, has come so far; the wait for permits is not the source's time.
    func passed(_ step: HTTPClient.Step) {
        switch step {
        case .resolved(let duration):
            let now = clock.now
            let isFirst = started.withLock { started in
                defer { started = started ?? now - duration }
                return started == nil
            }
            if isFirst { meter.countAttempt() }
            meter.addDNS(duration)
            LoadTrace.recordDNS(duration)
        case .admitted(let waited):
            started.withLock { $0 = $0.map { $0 + waited } }
            meter.addQueue(waited)
            LoadTrace.recordQueue(waited)
        }
    }

    /// The head of an answer has come.
    func answered(_ timings: HTTPTimings) {
        LoadTrace.recordHead(timings)
    }

    /// The exchange has ended with an answer.
    func finish(_ timings: HTTPTimings) {
        meter.add(timings)
        LoadTrace.recordBody(timings)
    }

    /// The attempt has failed.
    func fail() {
        guard let start = started.withLock({ $0 }) else { return }
        LoadTrace.recordFailedTry(clock.now - start)
    }

    /// The attempt has ended, with or without an answer.
    func stop() {
        guard let start = started.withLock({ $0 }) else { return }
        allowance.charge(clock.now - start)
    }
}

/// The time that one source may take: its attempts and the pauses between them, not the wait for permits.
final class TimeAllowance: Sendable {
    private let left: Guarded<Duration>

    init(_ total: Duration) {
        left = Guarded(total)
    }

    /// What is left, never negative.
    var remaining: Duration {
        max(left.withLock { $0 }, .zero)
    }

    /// Takes `time` off.
    func charge(_ time: Duration) {
        left.withLock { $0 -= time }
    }

    /// A random pause up to `ceiling`, taken off at once.
    func pause(_ ceiling: Duration) -> Duration {
        let pause = RetryPolicy.fullJitter(ceiling)
        charge(pause)
        return pause
    }
}
