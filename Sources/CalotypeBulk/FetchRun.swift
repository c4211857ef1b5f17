internal import CalotypeCore
internal import TaskFlow

/// A list job under way: its folder, its memory, its book, and what is done with each entry.
struct FetchRun: Sendable {
    let options: FetchOptions
    let loader: any RenditionLoading
    let folder: OutputFolder
    let state: StateFile
    let ledger: RunLedger
    /// The threads for everything that touches a file.
    let executor: ThreadExecutor
    private let fingerprint: UInt128

    init(
        options: FetchOptions,
        loader: any RenditionLoading,
        folder: OutputFolder,
        state: StateFile,
        ledger: RunLedger,
        executor: ThreadExecutor
    ) {
        self.options = options
        self.loader = loader
        self.folder = folder
        self.state = state
        self.ledger = ledger
        self.executor = executor
        fingerprint = options.fingerprint
    }

    /// Handles all entries and closes the book.
    func run(_ list: URLListReader) async -> RunSummary {
        let hasFailed = await withConcurrentResults(
            of: list,
            limit: options.window,
            order: options.order == .input ? .input : .completion,
            operation: { item in await TaskTrace.withLane { await handle(item) } },
            body: { results in await collect(results) }
        )
        if Task.isCancelled { return await close(.interrupted) }
        return await close(hasFailed && options.failFast ? .failedFast : .finished)
    }

    /// Closes the book, on a thread for files.
    func close(_ ending: RunSummary.Ending) async -> RunSummary {
        await onFiles {
            await ledger.warn(state.takeProblem())
            return await ledger.close(ending, stored: loader.storedCount)
        }
    }

    /// Reads the results, which only say that an entry has its turn; `true` when a failure ends the run.
    private func collect(_ results: ConcurrentResults<ListItem, Bool, any Error>) async -> Bool {
        do {
            for try await element in results {
                if options.order == .input { await onFiles { await ledger.release(element.input.index) } }
                if options.failFast, case .success(false) = element.result { return true }
            }
        } catch {
            // The reader gives its own errors as entries; what is left is cancellation, which `run` asks for.
        }
        return false
    }

    /// Brings one entry to its outcome; `false` when it failed.
    private func handle(_ item: ListItem) async -> Bool {
        await ledger.begin(item)
        if let problem = item.problem {
            return await fail(item, CalotypeError(problem.code, problem.message, stage: .request))
        }
        if await skip(item) { return true }
        do {
            let rendition = try await TaskTrace.span(
                "load",
                category: "load",
                arguments: [.init("url", item.url)]
            ) {
                try await loader.load(request(item))
            }
            return await TaskTrace.span("store", category: "store") { await store(rendition, item) }
        } catch is CancellationError {
            // The book counts it as cancelled when it is closed.
            return true
        } catch let failure as LoadFailure {
            return await fail(item, failure)
        } catch let error as CalotypeError {
            return await fail(item, LoadFailure(error))
        } catch {
            return await fail(item, CalotypeError(.protocolError, "\(error)", stage: .request))
        }
    }

    private func request(_ item: ListItem) -> ImageRequest {
        var request = ImageRequest(item.url, options.transform, options.format)
        request.limits = options.limits
        request.cachePolicy = options.cachePolicy
        return request
    }

    /// Whether a former run has completed the entry and its file is as it left it.
    private func skip(_ item: ListItem) async -> Bool {
        guard options.cachePolicy != .reload, let record = state.record(of: item.index),
            record.options == fingerprint, record.url == StableHash.hash(item.url)
        else { return false }
        return await onFiles {
            guard folder.size(of: record.fileName) == record.bytes else { return false }
            let picture = await folder.read(record.fileName, limit: ledger.sheetRoom)
            await ledger.complete(.skipped(item, record), picture: picture)
            return true
        }
    }

    private func store(_ rendition: Rendition, _ item: ListItem) async -> Bool {
        await onFiles {
            let record = record(of: rendition, item)
            let former = state.record(of: item.index)
            // Taken back first: a crash after the file was replaced must not leave a record of the one before.
            if former != nil { state.remove(item.index) }
            do throws(CalotypeError) {
                try folder.write(rendition.bytes, as: record.fileName)
            } catch {
                await ledger.complete(.unstored(item, rendition, error))
                return false
            }
            if let former, former.fileName != record.fileName { folder.remove(former.fileName) }
            state.add(record)
            let outcome = FetchOutcome.ok(item, rendition, file: record.fileName)
            await ledger.complete(outcome, picture: rendition.bytes)
            return true
        }
    }

    /// Notes a failure; a file that an earlier list left at this index shows another picture and has to go.
    private func fail(_ item: ListItem, _ failure: LoadFailure) async -> Bool {
        await onFiles {
            if let former = state.record(of: item.index), former.url != StableHash.hash(item.url) {
                state.remove(item.index)
                folder.remove(former.fileName)
            }
            await ledger.complete(.failed(item, failure))
            return false
        }
    }

    private func fail(_ item: ListItem, _ error: CalotypeError) async -> Bool {
        await fail(item, LoadFailure(error))
    }

    private func record(of rendition: Rendition, _ item: ListItem) -> StateRecord {
        StateRecord(
            index: item.index,
            url: StableHash.hash(item.url),
            options: fingerprint,
            end: rendition.format,
            bytes: rendition.bytes.count,
            size: rendition.size,
            sourceSize: rendition.source.size,
            sourceFormat: rendition.source.format,
            sourceFrames: rendition.source.frames,
            sourceBytes: rendition.sourceBytes.bytes
        )
    }

    private func onFiles<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
        await withTaskExecutorPreference(executor) { await FetchRun.perform(body) }
    }

    /// Leaves the caller's actor, if any, for the preferred executor.
    @concurrent
    private static func perform<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        await body()
    }
}
