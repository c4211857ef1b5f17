internal import CalotypeCore
internal import CalotypePlatform
internal import TaskFlow

/// The ledger of a run: it counts the outcomes, and writes them to the report and the contact sheet.
///
/// It can be closed at any time, by the end of the run or by an interruption that does not wait for the last
/// decode; later calls have no effect. ``complete(_:)``, ``sheetRoom`` and ``close(_:stored:loss:)`` write files: call
/// them on a file thread. The others never wait for a file.
final class RunLedger: Sendable {
    /// The end of an entry.
    struct End: Sendable {
        var outcome: FetchOutcome
        /// What the contact sheet shows.
        var picture: SheetPicture?
    }

    private struct Entry {
        var item: ListItem
        var start: Duration
        /// Set while the line waits for earlier lines.
        var outcome: FetchOutcome?
    }

    private struct Books {
        var entries: [Int: Entry] = [:]
        /// The index of the next line, if lines are in the order of the list.
        var nextLine = 0
        var summary = RunSummary()
        var meter = RateMeter()
        var total: Int?
        var isClosed = false
        var warnings: [String] = []

        /// Ends the books; returns the entries that had not ended, by index, or `nil` if it was closed before.
        mutating func close() -> [Entry]? {
            guard !isClosed else { return nil }
            isClosed = true
            defer { entries = [:] }
            return entries.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private struct Output {
        var report: ReportWriter?
        var sheet: ContactSheet?
        var hasWarnedOfReport = false
    }

    private let order: FetchOptions.Order
    private let stopwatch: Stopwatch
    /// Returns the bytes that the loader has received in this run.
    private let received: @Sendable () -> ByteCount
    /// Opens with a reason if the run cannot continue.
    private let stop: Latch<String>
    private let cpuAtStart = ResourceUse.now.cpu
    private let books = Guarded(Books())
    /// Locked while files are written, and always before ``books``.
    private let output: Guarded<Output>

    init(
        order: FetchOptions.Order,
        report: ReportWriter?,
        sheet: ContactSheet?,
        stopwatch: Stopwatch,
        received: @escaping @Sendable () -> ByteCount,
        stop: Latch<String>
    ) {
        self.order = order
        self.stopwatch = stopwatch
        self.received = received
        self.stop = stop
        output = Guarded(Output(report: report, sheet: sheet))
    }

    /// Maximum size of the contact sheet's next picture; 0 without a contact sheet.
    var sheetRoom: Int { output.withLock { $0.sheet?.room ?? 0 } }

    func begin(_ item: ListItem) {
        let start = stopwatch.now
        books.withLock { books in
            if !books.isClosed { books.entries[item.index] = Entry(item: item, start: start) }
        }
    }

    /// Does the last step of some entries and records their outcomes; their lines are written now, or in list order
    /// when all before them have ended.
    ///
    /// - Parameter step: Puts files in place. It is not called once the ledger is closed, so that no file appears
    ///   that the report calls cancelled.
    func complete(_ step: () -> [End]) {
        output.withLock { output in
            guard !books.withLock(\.isClosed) else { return }
            let ends = step()
            let now = stopwatch.now
            let (starts, lines) = books.withLock { record(ends, in: &$0) }
            for (end, start) in zip(ends, starts) {
                guard let start else { continue }
                output.sheet?.add(end.outcome, picture: end.picture, start: start, end: now)
            }
            write(lines, to: &output)
        }
    }

    /// Counts the ends, and returns when their entries began, `nil` for those that do not count, and the lines that
    /// may be written.
    private func record(_ ends: [End], in books: inout Books) -> (starts: [Duration?], lines: [FetchOutcome])
    {
        var lines: [FetchOutcome] = []
        let starts = ends.map { end -> Duration? in
            let index = end.outcome.index
            guard let entry = books.entries[index] else { return nil }
            books.summary.count(end.outcome)
            switch order {
            case .completion:
                books.entries[index] = nil
                lines.append(end.outcome)
            case .input:
                books.entries[index]?.outcome = end.outcome
            }
            return entry.start
        }
        while order == .input, let outcome = books.entries[books.nextLine]?.outcome {
            books.entries[books.nextLine] = nil
            books.nextLine += 1
            lines.append(outcome)
        }
        return (starts, lines)
    }

    func setTotal(_ count: Int?) {
        books.withLock { $0.total = count }
    }

    func warn(_ text: String?) {
        if let text { books.withLock { $0.warnings.append(text) } }
    }

    func takeWarnings() -> [String] {
        books.withLock { books in
            defer { books.warnings = [] }
            return books.warnings
        }
    }

    func progress() -> FetchProgress {
        var progress = FetchProgress()
        progress.bytesIn = received()
        progress.elapsed = stopwatch.now
        return books.withLock { [progress] books in
            var progress = progress
            let summary = books.summary
            progress.total = books.total
            progress.succeeded = summary.succeeded
            progress.failed = summary.failed
            progress.skipped = summary.skipped
            progress.done = summary.succeeded + summary.failed + summary.skipped + summary.cancelled
            progress.active = books.entries.values.count { $0.outcome == nil }
            progress.bytesOut = summary.bytesOut
            let ended = summary.succeeded + summary.failed
            let bytes = progress.bytesIn.bytes
            progress.failures = summary.failures
            progress.add(books.meter.rates(at: progress.elapsed, images: ended, bytes: bytes))
            return progress
        }
    }

    /// Closes the ledger: entries in progress become `cancelled`, and the page is put in place.
    ///
    /// - Returns: The summary; a second call returns the same one.
    func close(_ ending: RunSummary.Ending, stored: Int = 0, loss: FileLoss? = nil) -> RunSummary {
        output.withLock { output in
            guard let entries = books.withLock({ $0.close() }) else { return books.withLock { $0.summary } }
            for entry in entries { closeEntry(entry, &output) }
            output.report?.finish()
            noteReport(&output)
            if let loss { warn(loss.description) }
            let use = ResourceUse.now
            let summary = books.withLock { [received, stopwatch, cpuAtStart] books in
                books.summary.vanished = loss?.count ?? 0
                books.summary.ending = ending
                books.summary.total = books.total
                books.summary.stored = stored
                books.summary.bytesIn = received()
                books.summary.wallTime = stopwatch.now
                books.summary.cpuTime = use.cpu - cpuAtStart
                books.summary.peakMemory = ByteCount(use.peakMemoryBytes)
                return books.summary
            }
            output.sheet?.finish(summary)
            note(output.sheet?.problem)
            return books.withLock { $0.summary }
        }
    }

    private func closeEntry(_ entry: Entry, _ output: inout Output) {
        if let outcome = entry.outcome { return write([outcome], to: &output) }
        let outcome = FetchOutcome(entry.item, .cancelled)
        books.withLock { $0.summary.count(outcome) }
        output.sheet?.add(outcome, picture: nil, start: entry.start, end: stopwatch.now)
        write([outcome], to: &output)
    }

    private func write(_ outcomes: [FetchOutcome], to output: inout Output) {
        output.report?.write(outcomes)
        noteReport(&output)
    }

    private func noteReport(_ output: inout Output) {
        guard !output.hasWarnedOfReport, let report = output.report, let problem = report.problem else {
            return
        }
        output.hasWarnedOfReport = true
        note(problem)
        if report.isRefused { stop.set(problem) }
    }

    /// Records a problem with output that the run should have written.
    private func note(_ problem: String?) {
        guard let problem else { return }
        books.withLock { $0.summary.problems.append(problem) }
        warn(problem)
    }
}

/// The resources that the process has used since its start.
struct ResourceUse {
    var cpu: Duration
    var peakMemoryBytes: Int

    /// The resources used so far by all threads together.
    static var now: ResourceUse {
        let (usage, peakBytes) = Platform.resourceUse()
        let cpu = [usage.ru_utime, usage.ru_stime].reduce(Duration.zero) {
            $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec)
        }
        return ResourceUse(cpu: cpu, peakMemoryBytes: peakBytes)
    }
}
