public import Calotype
internal import CalotypeCore
internal import CalotypeFiles
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
    /// - Throws: ``BulkError`` before the first request if the list cannot be read, if the folder cannot
    ///   be written, or if it was made with other options; `CancellationError` if cancelled before that.
    public func run() async throws -> RunSummary {
        try options.check()
        return try await withThreadExecutor(name: "calotype-list", threads: 2) { reading in
            try await withThreadExecutor(name: "calotype-io", threads: 2) { writing in
                // The optimiser of Swift 6.3.1 crashes if this closure contains more.
                try await run(reading, writing)
            }
        }
    }

    private func run(_ reading: ThreadExecutor, _ writing: ThreadExecutor) async throws -> RunSummary {
        let metrics = options.metrics.map { MetricsFile(path: $0, executor: writing) }
        try await metrics?.begin()
        if let codes = options.retriedCodes { return try await retry(codes, metrics, reading, writing) }
        let paths = try await reading.run { try ListFiles.paths(options.input, besides: options.output) }
        let list = TableReader(
            paths,
            format: options.inputFormat,
            options.columns,
            unique: options.seenURLs(),
            executor: reading
        )
        try await list.checkFirst()
        try await options.store?.check()
        let folder = try await writing.run { try openedFolder() }
        return await follow(run(in: folder, from: 0, writing), list, metrics)
    }

    /// Makes new shards of the failures of a dataset.
    private func retry(
        _ codes: [String],
        _ metrics: MetricsFile?,
        _ reading: ThreadExecutor,
        _ writing: ThreadExecutor
    ) async throws -> RunSummary {
        try await options.store?.check()
        let (folder, pass) = try await writing.run {
            let folder = try openedFolder()
            let pass = try RetryPass(of: codes, in: folder)
            try pass.begin(in: folder)
            return (folder, pass)
        }
        let run = run(in: folder, from: pass.firstShard, writing)
        let list = FailureReader(pass, of: folder, options, executor: reading)
        let summary = await follow(run, list, metrics)
        guard summary.ending == .finished else { return summary }
        try await writing.run { try pass.end(in: folder) }
        return summary
    }

    private func openedFolder() throws(BulkError) -> DatasetFolder {
        let folder = try DatasetFolder(path: options.output)
        try options.check(folder)
        return folder
    }

    private func run(in folder: DatasetFolder, from shard: Int, _ executor: ThreadExecutor) -> DatasetRun {
        let (stop, before) = (Latch<RunSummary.Ending>(), pipeline.receivedBytes)
        let ledger = DatasetLedger(
            storedAt: options.store?.address,
            stopwatch: Stopwatch(clock)
        ) { [pipeline] in
            ByteCount(pipeline.receivedBytes.bytes - before.bytes)
        }
        let plan = options.plan(from: shard)
        let uploads = options.store.map { store in
            DatasetUploads(
                to: store,
                from: folder,
                plan,
                options.slice,
                ledger: ledger,
                stop: stop,
                executor: executor
            )
        }
        let shards = ShardBook(
            options,
            options.schema,
            folder: folder,
            plan: plan,
            ledger: ledger,
            stop: stop,
            executor: executor,
            room: { await uploads?.waitForRoom() },
            onCommit: { uploads?.add($0) }
        )
        return DatasetRun(
            options: options,
            maker: SampleMaker(options, pipeline, executor: executor),
            shards: shards,
            ledger: ledger,
            stop: stop,
            uploads: uploads
        )
    }

    private func follow(
        _ run: DatasetRun,
        _ list: some ListReading,
        _ metrics: MetricsFile?
    ) async -> RunSummary {
        let abandon = onAbandon.map { onAbandon in
            { @Sendable in await onAbandon(run.ledger.summary(.interrupted)) }
        }
        let summary = await withReports(clock, grace: options.grace, onAbandon: abandon) {
            let progress = await progress(of: run, list)
            await onEvent(.progress(progress))
            if let problem = await metrics?.update(progress) { await onEvent(.warning(problem)) }
        } _: {
            await run.run(list)
        }
        if let problem = await metrics?.write(progress(of: run, list)) { await onEvent(.warning(problem)) }
        return summary
    }

    private func progress(of run: DatasetRun, _ list: some ListReading) async -> FetchProgress {
        var progress = run.ledger.progress()
        progress.uploading = run.uploads?.leftCount
        guard let extent = await list.extent() else { return progress }
        progress.total = run.shards.plan.count(of: extent.count, in: options.slice)
        progress.isTotalEstimated = extent.isEstimated
        return progress
    }
}

extension DatasetOptions {
    /// The columns to read: those to keep, the caption, the hash.
    var columns: ListColumns {
        ListColumns(url: urlColumn, kept: extraColumns + [captionColumn, hashColumn].compactMap(\.self))
    }

    /// The columns to keep, that of the boxes included.
    var extraColumns: [String] {
        guard let boxColumn, !keptColumns.contains(boxColumn) else { return keptColumns }
        return keptColumns + [boxColumn]
    }

    /// The columns of the metadata.
    var schema: SampleSchema {
        SampleSchema(
            hasCaption: captionColumn != nil,
            extras: extraColumns,
            hash: hash == .none ? nil : hash.rawValue,
            otherSides: otherSizes,
            hasPerceptualHash: hashesPictures
        )
    }

    /// The names and numbers of shards, the first of which is `shard`.
    func plan(from shard: Int = 0) -> ShardPlan {
        ShardPlan(samplesPerShard: samplesPerShard, shardDigits: shardDigits, firstShard: shard)
    }

    /// Checks that earlier runs with `folder` had the same options, or records them.
    func check(_ folder: DatasetFolder) throws(BulkError) {
        try folder.bind(to: store?.address)
        try folder.check(settings, usual: DatasetOptions(input: "", output: "").settings)
    }

    /// Returns an empty set of URLs if each may occur only once; its file lies in the output folder, which is
    /// created for it.
    func seenURLs() -> SeenURLs? {
        guard isUnique else { return nil }
        return SeenURLs { [output] in
            let folder = try DatasetFolder(path: output)
            return try OpenFile.unnamed(in: folder.work, temporary: "\(folder.attempt).urls")
        }
    }

    /// Checks that columns and hashes can be combined.
    func check() throws(BulkError) {
        if store != nil, format == .files {
            throw BulkError(
                "--output-format files makes a file of each image, which would be uploaded one by one; give webdataset or parquet"
            )
        }
        if let name = extraColumns.first(where: {
            SampleSchema.reserved.contains($0) || schema.sizeColumns.contains($0)
        }) {
            throw BulkError("the column '\(name)' cannot be kept: the dataset has its own of that name")
        }
        if let hashColumn, retriedCodes != nil, !extraColumns.contains(hashColumn) {
            throw BulkError(
                """
                --retry-failed reads no list, so --verify-hash \(hashColumn) works only for a dataset that keeps that \
                column with --columns
                """
            )
        }
        if !otherSizes.isEmpty, keepsOriginals || resizeMode == .no {
            let option = keepsOriginals ? "--keep-original" : "--resize-mode no"
            throw BulkError("\(option) has one image for each line; give one --image-size")
        }
        if boxColumn != nil, keepsOriginals {
            throw BulkError(
                "--bbox-col blurs parts of the images, which --keep-original would store unchanged"
            )
        }
        if hashColumn != nil, hash == .none {
            throw BulkError("--verify-hash needs a hash; give --compute-hash md5, sha256 or sha512")
        }
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
            DatasetSetting(
                option: "image-size",
                value: ([imageSize] + otherSizes).map(String.init).joined(separator: ",")
            ),
            DatasetSetting(option: "resize-mode", value: resizeMode.rawValue),
            DatasetSetting(option: "resize-only-if-bigger", value: "\(resizesOnlyIfBigger)"),
            DatasetSetting(option: "keep-original", value: "\(keepsOriginals)"),
            DatasetSetting(option: "compute-hash", value: hash.rawValue),
            DatasetSetting(option: "bbox-col", value: boxColumn ?? "none"),
            DatasetSetting(option: "unique", value: "\(isUnique)"),
            DatasetSetting(option: "verify-hash", value: hashColumn ?? "none"),
            DatasetSetting(option: "perceptual-hash", value: "\(hashesPictures)"),
            DatasetSetting(option: "no-exif", value: "\(!extractsEXIF)"),
            DatasetSetting(option: "skip-reencode", value: "\(skipsReencoding)"),
            DatasetSetting(option: "like-img2dataset", value: "\(ignoresOrientation)"),
            DatasetSetting(option: "min-image-size", value: "\(limits.sizes.minSide)"),
            DatasetSetting(option: "max-image-area", value: Self.text(limits.sizes.maxArea)),
            DatasetSetting(option: "max-aspect-ratio", value: Self.text(limits.sizes.maxAspectRatio)),
        ]
    }

    private static func text(_ limit: Double?) -> String { limit.map { "\($0)" } ?? "none" }
}
