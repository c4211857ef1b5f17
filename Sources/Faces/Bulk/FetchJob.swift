internal import CalotypeCore
internal import Dispatch
internal import TaskFlow

/// Fetches the images of a URL list into a folder: the job of `calotype fetch`.
///
/// ```swift
/// let job = FetchJob(FetchOptions(source: .file(path: "urls.txt"), output: "thumbnails"), loader: pipeline)
/// let summary = try await job.run()
/// ```
public struct FetchJob: Sendable {
    private let options: FetchOptions
    private let loader: any RenditionLoading
    private let clock: any Clock<Duration>
    private let onEvent: @Sendable (FetchEvent) async -> Void
    private let onAbandon: (@Sendable (RunSummary) async -> Void)?

    /// Creates a job; nothing happens before ``run()``.
    ///
    /// - Parameters:
    ///   - options: The options of the run.
    ///   - loader: Loads the pictures; its own limits determine how many loads run at the same time.
    ///   - clock: The clock of the run.
    ///   - onEvent: Receives progress ten times a second and warnings, one call at a time.
    ///   - onAbandon: Called if an interrupted run still waits for a load after `options.grace`. The report
    ///     and the contact sheet are then complete, and a command can exit the process. Without it the run
    ///     waits.
    public init(
        _ options: FetchOptions,
        loader: any RenditionLoading,
        clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (FetchEvent) async -> Void = { _ in },
        onAbandon: (@Sendable (RunSummary) async -> Void)? = nil
    ) {
        self.options = options
        self.loader = loader
        self.clock = clock
        self.onEvent = onEvent
        self.onAbandon = onAbandon
    }

    /// Runs until the end of the list, the first failure with `failFast`, or the cancellation of the task.
    ///
    /// A cancelled run also returns: its report and summary are complete, and entries in progress are
    /// `cancelled`. So does a run that stops because the disk is full or the report's reader is gone;
    /// finished images are kept.
    ///
    /// - Returns: The summary of the run.
    /// - Throws: ``BulkError`` before the first request, if sizes or formats cannot be combined, the
    ///   list is empty or cannot be read, or the folder, the report or the contact sheet cannot be written;
    ///   `CancellationError` if cancelled before that.
    public func run() async throws -> RunSummary {
        let plan = try RenditionPlan(options)
        return try await withThreadExecutor(name: "calotype-list", threads: 2) { reading in
            try await withThreadExecutor(name: "calotype-io", threads: 2) { writing in
                let list = try await reading.run { try URLListReader(options.source, executor: reading) }
                try await list.checkFirst()
                let run = try await withTaskExecutorPreference(writing) { try await prepare(plan, writing) }
                return await follow(run, list: list, reading: reading)
            }
        }
    }

    @concurrent
    private func prepare(_ plan: RenditionPlan, _ executor: ThreadExecutor) async throws -> FetchRun {
        let folder = try OutputFolder(path: options.output)
        let report = try options.report.map { path throws(BulkError) in
            try ReportWriter(path: path, listsRenditions: plan.makesSeveral)
        }
        let sheet = try options.contactSheet.map { path throws(BulkError) in
            try ContactSheet(path: path, subject: "\(options.source.name) to \(options.output)")
        }
        let state =
            options.stateHome.map { StateFile(folder: folder.path, home: $0) }
            ?? StateFile(folder: folder.path)
        let (stop, before) = (Latch<String>(), loader.receivedBytes)
        let ledger = RunLedger(
            order: options.order,
            report: report,
            sheet: sheet,
            stopwatch: Stopwatch(clock),
            received: { [loader] in ByteCount(loader.receivedBytes.bytes - before.bytes) },
            stop: stop
        )
        ledger.warn(state.takeProblem())
        return FetchRun(
            options: options,
            plan: plan,
            loader: loader,
            folder: folder,
            state: state,
            ledger: ledger,
            stop: stop,
            executor: executor,
            clock: clock
        )
    }

    /// Runs the list, and counts its entries meanwhile.
    private func follow(_ run: FetchRun, list: URLListReader, reading: ThreadExecutor) async -> RunSummary {
        let abandon = onAbandon.map { onAbandon in
            { @Sendable in await onAbandon(await run.close(.interrupted)) }
        }
        return await withReports(clock, grace: options.grace, onAbandon: abandon) {
            await tell(run)
        } _: {
            async let _: Void = withTaskExecutorPreference(reading) {
                run.ledger.setTotal(await ListCount.count(options.source))
            }
            // The count ends with the run.
            return await run.run(list)
        }
    }

    private func tell(_ run: FetchRun) async {
        for warning in run.ledger.takeWarnings() { await onEvent(.warning(warning)) }
        await onEvent(.progress(run.ledger.progress()))
    }
}

/// Why a list cannot be worked through, or a dataset cannot be read.
public struct BulkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do.
    public let description: String

    /// Creates an error.
    public init(_ description: String) {
        self.description = description
    }
}

/// Runs `work` to its end and reports ten times a second, and once more at the end.
///
/// - Parameters:
///   - clock: The clock of the reports.
///   - length: How long `work` may go on after a cancellation.
///   - onAbandon: Called if `work` takes longer than that; it is awaited nevertheless.
///   - report: Reports what has happened so far.
///   - work: The run.
/// - Returns: The summary of `work`.
func withReports(
    _ clock: any Clock<Duration>,
    grace length: Duration,
    onAbandon: (@Sendable () async -> Void)?,
    report: @escaping @Sendable () async -> Void,
    _ work: @escaping @Sendable () async -> RunSummary
) async -> RunSummary {
    let grace = GracePeriod()
    return await withTaskGroup(of: RunSummary?.self) { group in
        group.addTask {
            while !Task.isCancelled {
                await report()
                // A cancelled sleep ends the loop.
                try? await clock.sleep(for: .milliseconds(100))
            }
            guard let onAbandon, await grace.wait(length) else { return nil }
            await onAbandon()
            return nil
        }
        group.addTask {
            defer { grace.end() }
            return await work()
        }
        var summary = RunSummary()
        for await case let result? in group {
            summary = result
            group.cancelAll()
        }
        await report()
        return summary
    }
}

/// A period that begins when its task is cancelled, and ends after some time or when the work has ended.
final class GracePeriod: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Bool, Never>)
        case over
    }

    private let state = Guarded(State.open)

    /// Waits until the period is over; returns `false` if ``end()`` was called first.
    ///
    /// Cancellation does not shorten it, because the task is already cancelled.
    func wait(_ length: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard case .open = state else { return true }
                state = .waiting(continuation)
                return false
            }
            if isOver { return continuation.resume(returning: false) }
            let deadline = DispatchTime.now() + .milliseconds(Int(clamping: length.inMilliseconds))
            DispatchQueue.global().asyncAfter(deadline: deadline) { self.finish(true) }
        }
    }

    /// Records that the work has ended.
    func end() {
        finish(false)
    }

    private func finish(_ isOverdue: Bool) {
        let waiter = state.withLock { state in
            defer { state = .over }
            if case .waiting(let continuation) = state {
                return continuation as CheckedContinuation<Bool, Never>?
            }
            return nil
        }
        waiter?.resume(returning: isOverdue)
    }
}
