internal import CalotypeCore
internal import Glibc
internal import TaskFlow

/// The ledger of a run: it writes the outcomes to the report and the contact sheet as they arrive.
///
/// It can be closed at any time, by the end of the run or by an interruption that does not wait for the last
/// decode; later calls have no effect. It writes files on the caller's executor, so call it from an I/O
/// thread.
actor RunLedger {
    private struct Entry {
        var item: ListItem
        var start: Duration
        /// Set while the line waits for earlier lines.
        var outcome: FetchOutcome?
    }

    private let order: FetchOptions.Order
    private let stopwatch: Stopwatch
    /// Returns the bytes that the loader has received in this run.
    private let received: @Sendable () -> ByteCount
    /// Opens with a reason if the run cannot continue.
    private let stop: Latch<String>
    private let cpuAtStart = ResourceUse.now.cpu
    private var report: ReportWriter?
    private var sheet: ContactSheet?
    private var entries: [Int: Entry] = [:]
    private var summary = RunSummary()
    private var meter = RateMeter()
    private var total: Int?
    private var isClosed = false
    private var warnings: [String] = []
    private var hasWarnedOfReport = false

    init(
        order: FetchOptions.Order,
        report: ReportWriter?,
        sheet: ContactSheet?,
        stopwatch: Stopwatch,
        received: @escaping @Sendable () -> ByteCount,
        stop: Latch<String>
    ) {
        self.order = order
        self.report = report
        self.sheet = sheet
        self.stopwatch = stopwatch
        self.received = received
        self.stop = stop
    }

    /// Maximum size of the contact sheet's next picture; 0 without a contact sheet.
    var sheetRoom: Int { sheet?.room ?? 0 }

    func begin(_ item: ListItem) {
        guard !isClosed else { return }
        entries[item.index] = Entry(item: item, start: stopwatch.now)
    }

    /// Records an outcome; its line is written now, or in list order after ``release(_:)``.
    func complete(_ outcome: FetchOutcome, picture: SheetPicture? = nil) {
        guard !isClosed, let entry = entries[outcome.index] else { return }
        summary.count(outcome)
        sheet?.add(outcome, picture: picture, start: entry.start, end: stopwatch.now)
        if order == .completion {
            entries[outcome.index] = nil
            write(outcome)
        } else {
            entries[outcome.index]?.outcome = outcome
        }
    }

    /// Writes the line that waits for its turn, if there is one.
    func release(_ index: Int) {
        guard !isClosed, let outcome = entries[index]?.outcome else { return }
        entries[index] = nil
        write(outcome)
    }

    func setTotal(_ count: Int?) {
        total = count
    }

    func warn(_ text: String?) {
        if let text { warnings.append(text) }
    }

    func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }

    func progress() -> FetchProgress {
        var progress = FetchProgress()
        progress.total = total
        progress.succeeded = summary.succeeded
        progress.failed = summary.failed
        progress.skipped = summary.skipped
        progress.done = summary.succeeded + summary.failed + summary.skipped + summary.cancelled
        progress.active = entries.values.count { $0.outcome == nil }
        progress.bytesIn = received()
        progress.bytesOut = summary.bytesOut
        progress.elapsed = stopwatch.now
        let ended = summary.succeeded + summary.failed
        let rates = meter.rates(at: progress.elapsed, images: ended, bytes: progress.bytesIn.bytes)
        (progress.imagesPerSecond, progress.bytesPerSecond) = rates
        return progress
    }

    /// Closes the ledger: entries in progress become `cancelled`, and the page is put in place.
    ///
    /// - Returns: The summary; a second call returns the same one.
    func close(_ ending: RunSummary.Ending, stored: Int = 0, loss: FileLoss? = nil) -> RunSummary {
        guard !isClosed else { return summary }
        for (_, entry) in entries.sorted(by: { $0.key < $1.key }) { closeEntry(entry) }
        entries = [:]
        isClosed = true
        report?.finish()
        noteReport()
        if let loss {
            summary.vanished = loss.count
            warn(loss.description)
        }
        let use = ResourceUse.now
        summary.ending = ending
        summary.stored = stored
        summary.bytesIn = received()
        summary.wallTime = stopwatch.now
        summary.cpuTime = use.cpu - cpuAtStart
        summary.peakMemory = ByteCount(use.peakMemoryBytes)
        sheet?.finish(summary)
        note(sheet?.problem)
        return summary
    }

    private func closeEntry(_ entry: Entry) {
        if let outcome = entry.outcome { return write(outcome) }
        let outcome = FetchOutcome(entry.item, .cancelled)
        summary.count(outcome)
        sheet?.add(outcome, picture: nil, start: entry.start, end: stopwatch.now)
        write(outcome)
    }

    private func write(_ outcome: FetchOutcome) {
        report?.write(outcome)
        noteReport()
    }

    private func noteReport() {
        guard !hasWarnedOfReport, let report, let problem = report.problem else { return }
        hasWarnedOfReport = true
        note(problem)
        if report.isRefused { stop.set(problem) }
    }

    /// Records a problem with output that the run should have written.
    private func note(_ problem: String?) {
        guard let problem else { return }
        summary.problems.append(problem)
        warn(problem)
    }
}

/// The resources that the process has used since its start.
struct ResourceUse {
    var cpu: Duration
    var peakMemoryBytes: Int

    /// The resources used so far by all threads together.
    static var now: ResourceUse {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpu = [usage.ru_utime, usage.ru_stime].reduce(Duration.zero) {
            $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec)
        }
        // Linux counts the peak in KiB.
        return ResourceUse(cpu: cpu, peakMemoryBytes: usage.ru_maxrss << 10)
    }
}
