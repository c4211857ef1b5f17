public import Calotype
internal import CalotypeCore
internal import TaskFlow

/// Makes a dataset of shards from a list of image URLs: the job of `calotype dataset`.
public struct DatasetJob: Sendable {
    private let options: DatasetOptions
    private let pipeline: ImagePipeline
    private let clock: any Clock<Duration>
    private let onEvent: @Sendable (FetchEvent) async -> Void
    private let onAbandon: (@Sendable (RunSummary) async -> Void)?

    /// Creates a job; nothing happens before ``run()``.
    ///
    /// - Parameters:
    ///   - options: The options of the run.
    ///   - pipeline: Loads the pictures.
    ///   - clock: The clock of the run.
    ///   - onEvent: Receives progress ten times a second, one call at a time.
    ///   - onAbandon: Called if an interrupted run still waits for a load after `options.grace`; a command can
    ///     then exit the process. Without it the run waits.
    public init(
        _ options: DatasetOptions,
        pipeline: ImagePipeline,
        clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (FetchEvent) async -> Void = { _ in },
        onAbandon: (@Sendable (RunSummary) async -> Void)? = nil
    ) {
        self.options = options
        self.pipeline = pipeline
        self.clock = clock
        self.onEvent = onEvent
        self.onAbandon = onAbandon
    }

    /// Runs until the end of the list, or the cancellation of the task.
    ///
    /// A run that was cancelled or killed is continued by the next one with the same options: only samples
    /// under way are fetched again.
    ///
    /// - Returns: The summary of the run.
    /// - Throws: ``FetchSetupError`` before the first request if the list cannot be read, if the folder cannot
    ///   be written, or if it was made with other options; `CancellationError` if cancelled before that.
    public func run() async throws -> RunSummary {
        try await withThreadExecutor(name: "calotype-list", threads: 2) { reading in
            try await withThreadExecutor(name: "calotype-io", threads: 2) { writing in
                let list = TableReader(
                    try await reading.run { try ListFiles.paths(options.input, besides: options.output) },
                    format: options.inputFormat,
                    options.columns,
                    executor: reading
                )
                try await list.checkFirst()
                let run = try await writing.run { try prepare(writing) }
                return await follow(run, list)
            }
        }
    }

    private func prepare(_ executor: ThreadExecutor) throws -> DatasetRun {
        let folder = try DatasetFolder(path: options.output)
        try folder.check(options.settings)
        let (stop, before) = (Latch<String>(), pipeline.receivedBytes)
        let ledger = DatasetLedger(stopwatch: Stopwatch(clock)) { [pipeline] in
            ByteCount(pipeline.receivedBytes.bytes - before.bytes)
        }
        let shards = ShardBook(
            options,
            SampleSchema(
                hasCaption: options.captionColumn != nil,
                extras: options.keptColumns,
                hash: options.hash == .none ? nil : options.hash.rawValue
            ),
            folder: folder,
            plan: ShardPlan(samplesPerShard: options.samplesPerShard, shardDigits: options.shardDigits),
            ledger: ledger,
            stop: stop,
            executor: executor
        )
        return DatasetRun(options: options, pipeline: pipeline, shards: shards, ledger: ledger, stop: stop)
    }

    private func follow(_ run: DatasetRun, _ list: some ListReading) async -> RunSummary {
        let grace = GracePeriod()
        return await withTaskGroup(of: RunSummary?.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    await onEvent(.progress(run.ledger.progress()))
                    // A cancelled sleep ends the loop.
                    try? await clock.sleep(for: .milliseconds(100))
                }
                guard let onAbandon, await grace.wait(options.grace) else { return nil }
                await onAbandon(run.ledger.summary(.interrupted))
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
            await onEvent(.progress(run.ledger.progress()))
            return summary
        }
    }
}

extension DatasetOptions {
    /// The columns to read; the caption is the last one that is kept.
    var columns: ListColumns {
        ListColumns(url: urlColumn, kept: keptColumns + (captionColumn.map { [$0] } ?? []))
    }

    /// The options that two runs with the same folder must share.
    var settings: [DatasetSetting] {
        [
            DatasetSetting(option: "url-col", value: columns.urlName),
            DatasetSetting(option: "caption-col", value: captionColumn ?? "none"),
            DatasetSetting(option: "columns", value: keptColumns.joined(separator: ",")),
            DatasetSetting(option: "number-sample-per-shard", value: "\(samplesPerShard)"),
            DatasetSetting(option: "oom-shard-count", value: "\(shardDigits)"),
            DatasetSetting(option: "output-format", value: format.rawValue),
            DatasetSetting(option: "encode-format", value: encoding.rawValue),
            DatasetSetting(option: "encode-quality", value: "\(quality)"),
            DatasetSetting(option: "image-size", value: "\(imageSize)"),
            DatasetSetting(option: "resize-mode", value: resizeMode.rawValue),
            DatasetSetting(option: "resize-only-if-bigger", value: "\(resizesOnlyIfBigger)"),
            DatasetSetting(option: "keep-original", value: "\(keepsOriginals)"),
            DatasetSetting(option: "compute-hash", value: hash.rawValue),
        ]
    }
}
