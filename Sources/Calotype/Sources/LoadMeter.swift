import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// What one source has cost so far, for its receipt or its failure.
final class LoadMeter: Sendable {
    private struct Reading {
        var attempts = 0
        var timings = LoadTimings()
        var facts: ImageFacts?
    }

    private let reading = Guarded(Reading())

    /// Counts a request that is about to be made.
    func countAttempt() {
        reading.withLock { $0.attempts += 1 }
    }

    /// Adds the time spent waiting for permits.
    func addQueue(_ time: Duration) {
        reading.withLock { $0.timings.queue += time }
    }

    /// Adds what one exchange took.
    func add(_ timings: HTTPTimings) {
        reading.withLock {
            $0.timings.dns += timings.dns
            $0.timings.connect += timings.connect + timings.tls
            $0.timings.firstByte += timings.firstByte
            $0.timings.body += timings.body
        }
    }

    /// Keeps what the header told.
    func note(_ facts: ImageFacts?) {
        reading.withLock { $0.facts = facts }
    }

    /// The complete source's.
    func receipt(byteCount: Int) -> SourceReceipt {
        let reading = reading.withLock { $0 }
        return SourceReceipt(
            byteCount: ByteCount(byteCount),
            attempts: reading.attempts,
            timings: reading.timings,
            facts: reading.facts
        )
    }

    /// The failed source's.
    func failure(_ error: CalotypeError) -> LoadFailure {
        let reading = reading.withLock { $0 }
        return LoadFailure(
            error,
            attempts: reading.attempts,
            timings: reading.timings,
            source: reading.facts
        )
    }
}
