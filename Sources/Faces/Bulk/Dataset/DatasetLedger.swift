internal import CalotypeCore
internal import TaskFlow

/// The counts of a dataset run.
final class DatasetLedger: Sendable {
    private struct Books {
        var summary = RunSummary()
        var meter = RateMeter()
        var active = 0
        /// The entries of the run.
        var entries: WaitingEntries?
    }

    /// The address to which shards are uploaded.
    private let address: String?
    private let stopwatch: Stopwatch
    private let received: @Sendable () -> ByteCount
    private let cpuAtStart = ResourceUse.now.cpu
    private let books = Guarded(Books())

    init(
        storedAt address: String? = nil,
        stopwatch: Stopwatch,
        received: @escaping @Sendable () -> ByteCount
    ) {
        self.address = address
        self.stopwatch = stopwatch
        self.received = received
    }

    /// Reports the slowest hosts of these entries from now on.
    func follow(_ entries: WaitingEntries) { books.withLock { $0.entries = entries } }

    /// Counts an entry that an earlier run has handled.
    func skip() { books.withLock { $0.summary.skipped += 1 } }

    func begin() { books.withLock { $0.active += 1 } }

    /// Counts an entry that was begun and is tried again later.
    func putBack() { books.withLock { $0.active -= 1 } }

    /// Counts an entry that was begun and not handled, because the run is cancelled.
    func drop() {
        books.withLock { books in
            books.active -= 1
            books.summary.cancelled += 1
        }
    }

    func end(_ sample: Sample, bytes: Int) {
        books.withLock { books in
            books.active -= 1
            switch sample.status {
            case .success: books.summary.succeeded += 1
            case .failedToDownload, .failedToResize:
                books.summary.failed += 1
                if let code = sample.code { books.summary.failures[code, default: 0] += 1 }
            }
            books.summary.bytesOut.bytes += bytes
        }
    }

    /// Counts a complete shard.
    func complete() { books.withLock { $0.summary.files += 1 } }

    /// Counts a shard that was uploaded.
    func upload() { books.withLock { $0.summary.uploaded += 1 } }

    func progress() -> FetchProgress {
        let (bytesIn, elapsed) = (received(), stopwatch.now)
        let slowest = books.withLock(\.entries)?.slowestHosts() ?? []
        return books.withLock { books in
            var progress = FetchProgress()
            let summary = books.summary
            (progress.bytesIn, progress.elapsed) = (bytesIn, elapsed)
            progress.succeeded = summary.succeeded
            progress.failed = summary.failed
            progress.skipped = summary.skipped
            progress.done = summary.succeeded + summary.failed + summary.skipped + summary.cancelled
            progress.active = books.active
            progress.bytesOut = summary.bytesOut
            let ended = summary.succeeded + summary.failed
            progress.failures = summary.failures
            progress.slowestHosts = slowest
            progress.add(books.meter.rates(at: elapsed, images: ended, bytes: bytesIn.bytes))
            return progress
        }
    }

    func summary(_ ending: RunSummary.Ending) -> RunSummary {
        let (bytesIn, elapsed, use) = (received(), stopwatch.now, ResourceUse.now)
        var summary = books.withLock { $0.summary }
        summary.ending = ending
        summary.store = address
        summary.bytesIn = bytesIn
        summary.wallTime = elapsed
        summary.cpuTime = use.cpu - cpuAtStart
        summary.peakMemory = ByteCount(use.peakMemoryBytes)
        return summary
    }
}
