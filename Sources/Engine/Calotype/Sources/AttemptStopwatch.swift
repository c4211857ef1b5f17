import CalotypeHTTP
import TaskFlow

/// Takes the time of one attempt: what the name took, what it waited for permits, and what it used of the source's allowance.
final class AttemptStopwatch: Sendable {
    private let meter: LoadMeter
    private let allowance: TimeAllowance
    private let clock: PipelineClock
    private let started = Guarded<Duration?>(nil)

    init(_ meter: LoadMeter, _ allowance: TimeAllowance, _ clock: PipelineClock) {
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
