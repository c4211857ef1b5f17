import CalotypeHTTP
import TaskFlow

/// Takes the time of one attempt: what it waited for permits, and what it used of the source's allowance.
final class AttemptStopwatch: Sendable {
    private let meter: LoadMeter
    private let allowance: TimeAllowance
    private let created = ContinuousClock.now
    private let started = Guarded<ContinuousClock.Instant?>(nil)

    init(_ meter: LoadMeter, _ allowance: TimeAllowance) {
        self.meter = meter
        self.allowance = allowance
    }

    /// All permits are there, the first request goes out; redirects start no new attempt.
    func start() {
        let now = ContinuousClock.now
        let isFirst = started.withLock { started in
            guard started == nil else { return false }
            started = now
            return true
        }
        if isFirst {
            meter.countAttempt()
            meter.addQueue(created.duration(to: now))
        }
    }

    /// The exchange has ended with an answer.
    func finish(_ timings: HTTPTimings) {
        meter.add(timings)
    }

    /// The attempt has ended, with or without an answer.
    func stop() {
        guard let start = started.withLock({ $0 }) else { return }
        allowance.charge(start.duration(to: .now))
    }
}
