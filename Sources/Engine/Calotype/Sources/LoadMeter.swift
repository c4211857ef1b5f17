import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// What one source has cost so far, for its receipt or its failure.
final class LoadMeter: Sendable {
    private struct Reading {
        var attempts = 0
        var timings = LoadTimings()
        var facts: ImageFacts?
        var version: SourceVersion?
        var answer: OriginAnswer?
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

    /// Keeps the answer that the attempt under way has ended with.
    func note(_ answer: OriginAnswer) {
        reading.withLock { $0.answer = answer }
    }

    /// Which version the last answer was about.
    var version: SourceVersion? { reading.withLock { $0.version } }

    /// The complete source's.
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

    /// The failed source's.
    func failure(_ error: CalotypeError) -> SourceFailure {
        let reading = reading.withLock { $0 }
        var failure = LoadFailure(
            error,
            attempts: reading.attempts,
            timings: reading.timings,
            source: reading.facts
        )
        failure.answer = reading.answer
        return SourceFailure(failure: failure, version: reading.version)
    }
}
