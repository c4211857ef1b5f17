internal import CalotypeCore
internal import TaskFlow

/// A running list job: its folder, state and ledger, and the handling of each entry.
struct FetchRun: Sendable {
    let options: FetchOptions
    let plan: RenditionPlan
    let loader: any RenditionLoading
    let folder: OutputFolder
    let state: StateFile
    let ledger: RunLedger
    /// Opens with a reason when nothing more can be written; this ends the run.
    let stop: Latch<String>
    /// The threads for all file access.
    let executor: ThreadExecutor
    private let files: FileWork
    private let clock: any Clock<Duration>

    init(
        options: FetchOptions,
        plan: RenditionPlan,
        loader: any RenditionLoading,
        folder: OutputFolder,
        state: StateFile,
        ledger: RunLedger,
        stop: Latch<String>,
        executor: ThreadExecutor,
        clock: any Clock<Duration>
    ) {
        self.clock = clock
        self.options = options
        self.plan = plan
        self.loader = loader
        self.folder = folder
        self.state = state
        self.ledger = ledger
        self.stop = stop
        self.executor = executor
        files = FileWork(plan, folder: folder, state: state, ledger: ledger, stop: stop)
    }

    /// Handles all entries and closes the ledger.
    func run(_ list: URLListReader) async -> RunSummary {
        let hasFailed = await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: executor) { await files.run() }
            defer { files.end() }
            return await handleUntilStopped(list)
        }
        if Task.isCancelled { return await close(.interrupted) }
        if let reason = stop.value { return await close(.unwritable(reason)) }
        return await close(hasFailed && options.failFast ? .failedFast : .finished)
    }

    private func handleUntilStopped(_ list: URLListReader) async -> Bool {
        await withTaskGroup(of: Bool?.self) { group in
            group.addTask { await handleAll(of: list) }
            group.addTask {
                // The task is cancelled at the end of the list.
                _ = try? await stop.wait()
                return nil
            }
            var hasFailed = false
            for await result in group {
                hasFailed = result ?? hasFailed
                group.cancelAll()
            }
            return hasFailed
        }
    }

    /// Handles all entries; returns `true` if a failure ends the run.
    private func handleAll(of list: URLListReader) async -> Bool {
        let entries = WaitingEntries(
            EntryQueue(
                limit: options.window,
                perHost: options.concurrencyPerHost,
                inOrder: options.order == .input,
                pace: options.manners?.pace
            ),
            clock: clock
        )
        guard let manners = options.manners else { return await handleAll(entries, of: list) }
        return await manners.pacing(entries) { await handleAll(entries, of: list) }
    }

    private func handleAll(_ entries: WaitingEntries, of list: URLListReader) async -> Bool {
        // Cancelled when the last entry has been handled, or a failure ends the run.
        async let _ = entries.fill(from: list)
        return await withConcurrentResults(
            of: entries,
            limit: min(options.window, options.concurrency),
            operation: { item in await TaskTrace.withLane { await handle(item, of: entries) } },
            body: { results in await collect(results) }
        )
    }

    /// Closes the ledger on a file thread.
    func close(_ ending: RunSummary.Ending) async -> RunSummary {
        // After an interruption the user does not want to wait.
        if ending != .interrupted { await loader.flushStore() }
        return await onFiles {
            ledger.warn(state.takeProblem())
            let loss = ending == .interrupted ? nil : FileLoss(of: state, in: folder)
            return ledger.close(ending, stored: loader.storedCount, loss: loss)
        }
    }

    /// Reads the results; returns `true` if a failure ends the run.
    private func collect(_ results: ConcurrentResults<ListItem, Bool, Never>) async -> Bool {
        for await element in results {
            if options.failFast, case .success(false) = element.result { return true }
        }
        return false
    }

    /// Handles one entry and ends it, or puts it back; returns `false` if it failed.
    private func handle(_ item: ListItem, of entries: WaitingEntries) async -> Bool {
        ledger.begin(item)
        var contact = HostContact.none
        let result = await handle(item, &contact, entries)
        if result != nil { entries.end(item, contact) }
        return result ?? true
    }

    /// Handles one entry; returns `false` if it failed, and `nil` if it was put back.
    private func handle(
        _ item: ListItem,
        _ contact: inout HostContact,
        _ entries: WaitingEntries
    ) async -> Bool? {
        if let reason = item.invalidReason {
            return await fail(item, CalotypeError(reason.code, reason.message, stage: .request))
        }
        if options.cachePolicy != .reload, state.hasFormerRecords, await files.isComplete(item) {
            return true
        }
        do {
            let results = try await TaskTrace.span(
                "load",
                category: "load",
                arguments: [.init("url", URLCredentials.removed(from: item.url))]
            ) {
                try await loader.load(request(item), as: plan.specs)
            }
            contact = .answered
            return await TaskTrace.span("store", category: "store") { await files.store(results, of: item) }
        } catch is CancellationError {
            // The ledger counts it as cancelled when it closes.
            return true
        } catch let failure as CalotypeError {
            if let trouble = HostTrouble(failure), entries.putBack(item, trouble) { return nil }
            contact = HostContact(failure)
            return await fail(item, failure)
        } catch {
            return await fail(item, CalotypeError(.protocolError, "\(error)", stage: .request))
        }
    }

    private func request(_ item: ListItem) throws(CalotypeError) -> ImageRequest {
        var request = ImageRequest(try source(item))
        request.limits = options.limits
        request.cachePolicy = options.cachePolicy
        return request
    }

    private func source(_ item: ListItem) throws(CalotypeError) -> ImageSource {
        guard options.allowsFiles else { return .url(item.url) }
        return item.url.contains("://")
            ? try ImageSource(trustedText: item.url, limits: options.limits) : .file(path: item.url)
    }

    private func fail(_ item: ListItem, _ error: CalotypeError) async -> Bool {
        await files.fail(item, error)
    }

    private func onFiles<Result: Sendable>(_ body: @Sendable () -> Result) async -> Result {
        await withTaskExecutorPreference(executor) { await FetchRun.perform(body) }
    }

    /// Leaves the caller's actor, if any, for the preferred executor.
    ///
    /// The body does not suspend: the compiler (Swift 6.3.1) leaves out the change of executor before the call
    /// of an asynchronous closure.
    @concurrent
    private static func perform<Result: Sendable>(_ body: @Sendable () -> Result) async -> Result {
        body()
    }
}
