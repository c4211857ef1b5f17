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
    private let fingerprint: UInt128

    init(
        options: FetchOptions,
        plan: RenditionPlan,
        loader: any RenditionLoading,
        folder: OutputFolder,
        state: StateFile,
        ledger: RunLedger,
        stop: Latch<String>,
        executor: ThreadExecutor
    ) {
        self.options = options
        self.plan = plan
        self.loader = loader
        self.folder = folder
        self.state = state
        self.ledger = ledger
        self.stop = stop
        self.executor = executor
        fingerprint = plan.fingerprint
    }

    /// Handles all entries and closes the ledger.
    func run(_ list: URLListReader) async -> RunSummary {
        let hasFailed = await withTaskGroup(of: Bool?.self) { group in
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
        if Task.isCancelled { return await close(.interrupted) }
        if let reason = stop.value { return await close(.unwritable(reason)) }
        return await close(hasFailed && options.failFast ? .failedFast : .finished)
    }

    /// Handles all entries; returns `true` if a failure ends the run.
    private func handleAll(of list: URLListReader) async -> Bool {
        await withConcurrentResults(
            of: list,
            limit: options.window,
            order: options.order == .input ? .input : .completion,
            operation: { item in await TaskTrace.withLane { await handle(item) } },
            body: { results in await collect(results) }
        )
    }

    /// Closes the ledger on a file thread.
    func close(_ ending: RunSummary.Ending) async -> RunSummary {
        // After an interruption the user does not want to wait.
        if ending != .interrupted { await loader.flushStore() }
        return await onFiles {
            await ledger.warn(state.takeProblem())
            let loss = ending == .interrupted ? nil : FileLoss(of: state, in: folder)
            return await ledger.close(ending, stored: loader.storedCount, loss: loss)
        }
    }

    /// Reads the results, which only release entries in order; returns `true` if a failure ends the run.
    private func collect(_ results: ConcurrentResults<ListItem, Bool, any Error>) async -> Bool {
        do {
            for try await element in results {
                if options.order == .input { await onFiles { await ledger.release(element.input.index) } }
                if options.failFast, case .success(false) = element.result { return true }
            }
        } catch {
            // The reader reports its errors as entries, so this is a cancellation, which `run` checks.
        }
        return false
    }

    /// Handles one entry; returns `false` if it failed.
    private func handle(_ item: ListItem) async -> Bool {
        await ledger.begin(item)
        if let problem = item.problem {
            return await fail(item, CalotypeError(problem.code, problem.message, stage: .request))
        }
        if await skip(item) { return true }
        do {
            let results = try await TaskTrace.span(
                "load",
                category: "load",
                arguments: [.init("url", URLCredentials.removed(from: item.url))]
            ) {
                try await loader.load(request(item), as: plan.specs)
            }
            return await TaskTrace.span("store", category: "store") { await store(results, item) }
        } catch is CancellationError {
            // The ledger counts it as cancelled when it closes.
            return true
        } catch let failure as LoadError {
            return await fail(item, failure)
        } catch let error as CalotypeError {
            return await fail(item, LoadError(error))
        } catch {
            return await fail(item, CalotypeError(.protocolError, "\(error)", stage: .request))
        }
    }

    private func request(_ item: ListItem) -> ImageRequest {
        var request = ImageRequest(item.url)
        request.limits = options.limits
        request.cachePolicy = options.cachePolicy
        return request
    }

    /// Returns whether an earlier run has completed the entry and its files are unchanged.
    private func skip(_ item: ListItem) async -> Bool {
        guard options.cachePolicy != .reload, let record = state.record(of: item.index), record.isComplete,
            record.options == fingerprint, record.url == StableHash.hash(item.url)
        else { return false }
        return await onFiles {
            guard record.made.allSatisfy({ folder.size(of: $0.fileName(of: item.index)) == $0.bytes }) else {
                return false
            }
            state.confirm(item.index)
            let outcome = FetchOutcome.skipped(item, record)
            await ledger.complete(outcome, picture: picture(of: outcome, limit: ledger.sheetRoom))
            return true
        }
    }

    /// Returns the contact sheet's picture for existing files.
    private func picture(of outcome: FetchOutcome, limit: Int) -> SheetPicture? {
        guard limit > 0, let choice = SheetPicture.choice(of: outcome.renditions) else { return nil }
        let rendition = outcome.renditions[choice]
        return folder.read(rendition.file, limit: limit).map { SheetPicture(rendition: rendition, bytes: $0) }
    }

    private func store(_ results: [Result<Rendition, LoadError>], _ item: ListItem) async -> Bool {
        await onFiles {
            var former = state.record(of: item.index)
            // Removed first: after a crash, a replaced file must not have the record of its predecessor.
            if former != nil { state.remove([item.index]) }
            let product = EntryProduct(results, plan, of: item.index, into: folder)
            // Pictures of another URL are always removed, others when their replacements are complete.
            if product.failure == nil || former?.url != StableHash.hash(item.url) {
                product.leftovers(of: former).forEach { folder.remove($0.fileName(of: item.index)) }
                former = nil
            }
            product.record(of: item, options: fingerprint, after: former).map { state.add([$0]) }
            await ledger.complete(.made(item, product), picture: product.picture)
            if let reason = product.refusal { stop.set(reason) }
            return product.failure == nil
        }
    }

    /// Records a failure, and removes files that an earlier list left at this index for another URL.
    private func fail(_ item: ListItem, _ failure: LoadError) async -> Bool {
        await onFiles {
            if let former = state.record(of: item.index), former.url != StableHash.hash(item.url) {
                state.remove([item.index])
                former.fileNames.forEach(folder.remove)
            }
            await ledger.complete(.failed(item, failure))
            return false
        }
    }

    private func fail(_ item: ListItem, _ error: CalotypeError) async -> Bool {
        await fail(item, LoadError(error))
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
