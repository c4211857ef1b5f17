import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// Measures the cost of one source so far, for its receipt or its error.
final class LoadMeter: Sendable {
    private struct Reading {
        var attempts = 0
        var timings = LoadTimings()
        var facts: ImageFacts?
        var version: SourceVersion?
        var response: OriginResponse?
        var isFinal = false
    }

    private let reading = Guarded(Reading())

    /// Counts a request that is about to be sent.
    func countAttempt() {
        reading.withLock {
            $0.attempts += 1
            $0.response = nil
        }
    }

    /// Adds the time spent waiting for permits.
    func addQueue(_ time: Duration) {
        reading.withLock { $0.timings.queue += time }
    }

    /// Adds the time of a name resolution.
    func addDNS(_ time: Duration) {
        reading.withLock { $0.timings.dns += time }
    }

    /// Adds the time of one exchange, from its connection on.
    func add(_ timings: HTTPTimings) {
        reading.withLock {
            $0.timings.connect += timings.connect + timings.tls
            $0.timings.firstByte += timings.firstByte
            $0.timings.body += timings.body
        }
    }

    /// Stores the facts in the header.
    func note(_ facts: ImageFacts?) {
        reading.withLock { $0.facts = facts }
    }

    /// Stores the version in the last response.
    func note(_ version: SourceVersion) {
        reading.withLock { $0.version = version }
    }

    /// Stores the error response that ended the current attempt.
    func note(_ response: OriginResponse) {
        reading.withLock { $0.response = response }
    }

    /// Records that a retry cannot help, because the bytes of this attempt have been passed on.
    func noteFinal() {
        reading.withLock { $0.isFinal = true }
    }

    /// The error response that ended the last attempt.
    var response: OriginResponse? { reading.withLock { $0.response } }

    /// Whether a retry cannot help.
    var isFinal: Bool { reading.withLock { $0.isFinal } }

    /// The version in the last response.
    var version: SourceVersion? { reading.withLock { $0.version } }

    /// Returns the cost of the complete source.
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

    /// Returns the error with the cost of the source.
    func failure(_ error: CalotypeError) -> CalotypeError {
        let reading = reading.withLock { $0 }
        return error.of(
            LoadDetails(
                attempts: reading.attempts,
                timings: reading.timings,
                source: reading.facts,
                response: reading.response
            )
        )
    }

    /// Returns the origin's response that the source does not exist, if that is the error.
    func absence(_ error: CalotypeError) -> SourceVersion? {
        guard let version, version.isAbsence, error.code == .http(status: version.response.status)
        else { return nil }
        return version
    }
}

/// Measures one attempt: name resolution, the wait for permits, and the time charged to the source.
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

    /// Records a step of a request, the first or that of a redirect.
    ///
    /// The source is not charged for the wait for permits.
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

    /// Records that the head of a response has arrived.
    func answered(_ timings: HTTPTimings) {
        LoadTrace.recordHead(timings)
    }

    /// Records that the exchange ended with a response.
    func finish(_ timings: HTTPTimings) {
        meter.add(timings)
        LoadTrace.recordBody(timings)
    }

    /// Records that the attempt failed.
    func fail() {
        guard let start = started.withLock({ $0 }) else { return }
        LoadTrace.recordFailedTry(clock.now - start)
    }

    /// Records that the attempt ended, with or without a response.
    func stop() {
        guard let start = started.withLock({ $0 }) else { return }
        allowance.charge(clock.now - start)
    }
}

/// The remaining time for one source.
///
/// Attempts and the pauses between them count; waiting for permits does not.
final class TimeAllowance: Sendable {
    private let left: Guarded<Duration>

    init(_ total: Duration) {
        left = Guarded(total)
    }

    /// The remaining time, never negative.
    var remaining: Duration {
        max(left.withLock { $0 }, .zero)
    }

    /// Subtracts `time`.
    func charge(_ time: Duration) {
        left.withLock { $0 -= time }
    }

    /// Returns a random pause up to `ceiling`, and subtracts it immediately.
    func pause(_ ceiling: Duration) -> Duration {
        let pause = RetryPolicy.fullJitter(ceiling)
        charge(pause)
        return pause
    }
}
