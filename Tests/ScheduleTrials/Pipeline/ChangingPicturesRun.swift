import Calotype
import CalotypeCore
import CalotypeTestKit
import TaskFlowTesting

/// One run of such a program.
struct ChangingPicturesRun {
    private let settings: ChangingPictures.Settings
    private let origin: ChangingOrigin
    private let store: SlowStore
    private let book: LoadBook

    init(_ settings: ChangingPictures.Settings) {
        self.settings = settings
        origin = ChangingOrigin(settings.origin, seed: settings.seed)
        store = SlowStore(settings.store, seed: settings.seed)
        book = LoadBook(origin, asksAlways: settings.origin.lifetime == "max-age=0")
    }

    func perform(_ operations: [ChangingPictures.Operation]) async throws {
        var configuration = TrialPipeline.configuration(origin.transport)
        configuration.stores = settings.contents
        if !settings.hasMemory { configuration.memoryCache = .none }
        try await TrialPipeline.run(configuration, origin.transport, store: store, slowness: settings.decodes)
        {
            pipeline in
            var tasks: [Int: Task<Void, Never>] = [:]
            for operation in operations {
                switch operation {
                case .settings: break
                case .load(let load): tasks[load.id] = start(load, pipeline)
                case .change(let name, let isThere): origin.change(name, isThere: isThere)
                case .cancel(let id):
                    guard let task = tasks[id] else { continue }
                    scheduleNote("load \(id) is cancelled")
                    book.cancel(id)
                    task.cancel()
                case .end(let id): await tasks[id]?.value
                case .wait(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
                }
                await Task.yield()
            }
            for id in tasks.keys.sorted() { await tasks[id]?.value }
            try book.check()
        }
    }

    /// What a store has kept is no older than what a reload had shown, also for the next process.
    ///
    /// A size that was kept before a reload of another size is known to be old in the process of that reload alone.
    func checkNextProcess() async throws {
        guard settings.hasNextProcess, settings.store.failures == 0, settings.store.takesEntries else {
            return
        }
        var configuration = TrialPipeline.configuration(origin.transport)
        configuration.stores = settings.contents
        let requests = origin.transport.statistics.requests
        try await TrialPipeline.run(configuration, origin.transport, store: store) { pipeline in
            for name in 0..<2 {
                for kind in [ChangingPictures.Kind.picture, .derived] {
                    for side in kind == .picture ? [100, 200, 300] : [100] {
                        try await check(name, side, kind, pipeline)
                    }
                }
            }
        }
        guard origin.transport.statistics.requests == requests else {
            throw ScheduleError("the origin was asked for what is to come from the store alone")
        }
    }

    private func check(
        _ name: Int,
        _ side: Int,
        _ kind: ChangingPictures.Kind,
        _ pipeline: ImagePipeline
    ) async throws {
        var load = ChangingPictures.Load(id: -1, name: name, side: side, policy: .cacheOnly)
        load.kind = kind
        let outcome = await outcome(of: load, pipeline)
        guard case .shown(let print) = outcome else { return }
        let picture = settings.contents.contains(.renditions) ? load.picture : nil
        let least = book.reloaded(name, picture: picture)
        guard print.name == name, print.version >= least else {
            throw ScheduleError(
                "the next process shows \(outcome) for the \(load.picture), after a reload of \(least)"
            )
        }
    }

    private func start(_ load: ChangingPictures.Load, _ pipeline: ImagePipeline) -> Task<Void, Never> {
        Task(name: "load \(load.id)") {
            // A store that fails to read has other pictures than one that fails to write.
            let isSteady =
                load.policy == .use && settings.store.failures == 0
                && [.picture, .bitmap].contains(load.kind)
            book.begin(
                load.id,
                LoadBook.Question(name: load.name, policy: load.policy),
                picture: load.picture,
                isSteady: isSteady
            )
            if Task.isCancelled { sometimes("cancelled before it began") }
            book.end(load.id, await outcome(of: load, pipeline))
        }
    }

    private func outcome(
        of load: ChangingPictures.Load,
        _ pipeline: ImagePipeline
    ) async -> LoadBook.Outcome {
        var request = ImageRequest(ChangingOrigin.url(load.name), .fit(load.side, load.side))
        request.cachePolicy = load.policy
        if load.hasLimit { request.limits.sourceBytes = .mebibytes(1) }
        do {
            return LoadBook.Outcome(.success(try await size(load.kind, request, pipeline)))
        } catch {
            return LoadBook.Outcome(.failure(error))
        }
    }

    /// The size of the source, by whatever tells it.
    private func size(
        _ kind: ChangingPictures.Kind,
        _ request: ImageRequest,
        _ pipeline: ImagePipeline
    ) async throws -> PixelSize {
        switch kind {
        case .picture: try await pipeline.rendition(for: request).source.storedSize
        case .bitmap: try await pipeline.bitmap(for: request).size
        case .data: try await pipeline.data(for: request).facts?.storedSize ?? PixelSize(width: 0, height: 0)
        case .derived:
            try await pipeline.derived("trial", of: request) { _ in [1] }.info.facts.storedSize
        }
    }
}
