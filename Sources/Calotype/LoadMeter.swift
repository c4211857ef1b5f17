import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// What one load has cost so far, for its rendition or its failure.
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

    /// Keeps what the header told, in case the decode fails.
    func note(_ facts: ImageFacts?) {
        reading.withLock { $0.facts = facts }
    }

    /// The finished load.
    func rendition(_ coded: CodedPicture, sourceBytes: ByteCount) -> Rendition {
        guard case .encoded(let bytes, let format) = coded.content else {
            preconditionFailure("a codec gave pixels for a rendition")
        }
        let reading = reading.withLock { $0 }
        var timings = reading.timings
        timings.queue += coded.queued
        timings.decode = coded.decoding
        timings.encode = coded.encoding
        return Rendition(
            bytes: bytes,
            format: format,
            size: coded.size,
            source: coded.source,
            sourceBytes: sourceBytes,
            isVerbatim: coded.isVerbatim,
            attempts: reading.attempts,
            timings: timings
        )
    }

    /// The failed load.
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
