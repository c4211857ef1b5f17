internal import CalotypeCore
internal import Dispatch
internal import TaskFlow

/// Fetches every picture of a URL list into a folder: the job behind `calotype fetch`.
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
    ///   - options: what is to be done.
    ///   - loader: makes the pictures; its own limits decide how many really go on at a time.
    ///   - clock: measures the run.
    ///   - onEvent: is told of progress ten times a second and of warnings, one call at a time.
    ///   - onAbandon: is called when an interrupted run still waits for a load after `options.grace`; the report and
    ///     the contact sheet are complete then, and a command exits the process from here. Without it the run waits.
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

    /// Runs to the end of the list, the first failure with `failFast`, or the cancellation of the task.
    ///
    /// A cancelled run returns too: its report and summary are complete, and entries that had begun are `cancelled`. So does one
    /// whose disk is full, or whose report nobody reads any more: what is done is kept.
    /// - Returns: what it came to.
    /// - Throws: ``FetchSetupError`` before the first request, when sizes or formats do not go together, the list is empty or
    ///   cannot be read, or the folder, the report or the contact sheet cannot be written; `CancellationError` when cancelled before that.
    public func run() async throws -> RunSummary {
        let plan = try RenditionPlan(options)
        return try await withThreadExecutor(name: "calotype-list", threads: 2) { reading in
            try await withThreadExecutor(name: "calotype-io", threads: 2) { writing in
                let list = try URLListReader(options.source, executor: reading)
                try await list.checkFirst()
                let run = try await withTaskExecutorPreference(writing) { try await prepare(plan, writing) }
                return await follow(run, list: list, reading: reading)
            }
        }
    }

    @concurrent
    private func prepare(_ plan: RenditionPlan, _ executor: ThreadExecutor) async throws -> FetchRun {
        let folder = try OutputFolder(path: options.output)
        let report = try options.report.map { path throws(FetchSetupError) in
            try ReportWriter(path: path, listsRenditions: plan.makesSeveral)
        }
        let sheet = try options.contactSheet.map { path throws(FetchSetupError) in
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
        await ledger.warn(state.takeProblem())
        return FetchRun(
            options: options,
            plan: plan,
            loader: loader,
            folder: folder,
            state: state,
            ledger: ledger,
            stop: stop,
            executor: executor
        )
    }

    /// Runs the list, with the count, the progress and the guard of an interruption beside it.
    private func follow(_ run: FetchRun, list: URLListReader, reading: ThreadExecutor) async -> RunSummary {
        let grace = GracePeriod()
        return await withTaskGroup(of: RunSummary?.self) { group in
            group.addTask(executorPreference: reading) {
                await run.ledger.setTotal(await ListCount.count(options.source))
                return nil
            }
            group.addTask {
                await report(run)
                await guardInterruption(of: run, grace)
                return nil
            }
            group.addTask {
                defer { grace.end() }
                return await run.run(list)
            }
            var summary = RunSummary()
            for await case let result? in group {
                summary = result
                group.cancelAll()
            }
            await tell(run)
            return summary
        }
    }

    /// Tells of progress and warnings until the task is cancelled.
    private func report(_ run: FetchRun) async {
        while !Task.isCancelled {
            await tell(run)
            // Cancelled while asleep: the loop ends.
            try? await clock.sleep(for: .milliseconds(100))
        }
    }

    private func tell(_ run: FetchRun) async {
        for warning in await run.ledger.takeWarnings() { await onEvent(.warning(warning)) }
        await onEvent(.progress(await run.ledger.progress()))
    }

    private func guardInterruption(of run: FetchRun, _ grace: GracePeriod) async {
        guard let onAbandon, await grace.wait(options.grace) else { return }
        await onAbandon(await run.close(.interrupted))
    }
}

/// A run that cannot begin: nothing has been requested or written.
public struct FetchSetupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what can be done.
    public let description: String

    /// Creates an error.
    public init(_ description: String) {
        self.description = description
    }
}

/// A wait that begins when its task is cancelled and is over after some time, or when the work has ended before.
final class GracePeriod: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Bool, Never>)
        case over
    }

    private let state = Guarded(State.open)

    /// Waits until the period is over; `false` when ``end()`` came first.
    ///
    /// Cancellation does not cut it short: it has happened already.
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

    /// Tells that the work has ended.
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
