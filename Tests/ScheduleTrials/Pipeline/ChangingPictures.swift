import Calotype
import CalotypeCore
import CalotypeTestKit
import TaskFlowTesting

/// Random programs of loads, reloads, changes of the origin's pictures and cancels, over a slow store that may fail.
enum ChangingPictures {
    struct Settings: Sendable {
        var seed: UInt64 = 0
        var origin = ChangingOrigin.Manners()
        var store = SlowStore.Manners()
        var contents: StoredContents = [.renditions, .sources]
        /// The longest pause before and after a decode, in steps of ten milliseconds.
        var decodes = 0
        var hasMemory = true
        /// Whether another process finds what was stored.
        var hasNextProcess = true
    }

    struct Load: Sendable {
        let id: Int
        let name: Int
        let side: Int
        let policy: CachePolicy
        var wantsData = false
        /// Another limit makes another download.
        var hasLimit = false

        var picture: String { "\(name) at \(side)\(hasLimit ? ", limited" : "")" }
    }

    enum Operation: Sendable, CustomStringConvertible {
        case settings(Settings)
        case load(Load)
        case change(Int, isThere: Bool)
        case cancel(Int)
        case wait(milliseconds: Int)
        /// Waits for the end of a load.
        case end(Int)

        var description: String {
            switch self {
            case .settings(let settings): "\(settings)"
            case .load(let load):
                "load \(load.id): \(load.wantsData ? "data" : "picture") of \(load.picture), \(load.policy)"
            case .change(let name, let isThere): "the origin \(isThere ? "changes" : "removes") \(name)"
            case .cancel(let id): "cancel load \(id)"
            case .end(let id): "wait for load \(id)"
            case .wait(let milliseconds): "wait \(milliseconds) ms"
            }
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [Operation] {
        let count = Int.random(in: 3...8, using: &random)
        return [.settings(settings(&random))] + (0..<count).map { operation($0, &random) }
    }

    /// A few loads of one picture in several sizes while it changes, over nothing that fails.
    static func smallProgram(_ random: inout ScheduleRandom) -> [Operation] {
        var settings = Settings(seed: random.next())
        settings.decodes = 10
        settings.store.slowness = 0
        settings.contents = Bool.random(using: &random) ? [] : [.renditions, .sources]
        settings.hasNextProcess = false
        let count = Int.random(in: 2...5, using: &random)
        let operations = (0..<count).map { id -> Operation in
            switch Int.random(in: 0..<5, using: &random) {
            case 0: return .end(Int.random(in: 0..<max(id, 1), using: &random))
            case 1: return .wait(milliseconds: Int.random(in: 1...60, using: &random))
            default:
                let side = [100, 200, 300][Int.random(in: 0..<3, using: &random)]
                let policy: CachePolicy = Bool.random(using: &random) ? .reload : .use
                return .load(Load(id: id, name: 0, side: side, policy: policy))
            }
        }
        // Something to reload, and somebody who wants it afterwards.
        let change = Int.random(in: 0...count, using: &random)
        let last = Load(id: count, name: 0, side: 100, policy: .use)
        return [.settings(settings)] + operations[..<change] + [.change(0, isThere: true)]
            + operations[change...] + [.end(count - 1), .load(last)]
    }

    private static func settings(_ random: inout ScheduleRandom) -> Settings {
        func pick<Choice>(_ choices: [Choice]) -> Choice {
            choices[Int.random(in: choices.indices, using: &random)]
        }
        var settings = Settings(seed: random.next())
        let lifetimes = ["max-age=3600", "max-age=3600", "max-age=0", "max-age=0, stale-while-revalidate=60"]
        settings.origin.lifetime = pick(lifetimes)
        settings.origin.hasTags = pick([true, true, true, false])
        settings.origin.failures = pick([0, 0, 0, 20])
        settings.origin.slowness = pick([0, 3, 10])
        settings.store.failures = pick([0, 0, 5, 30])
        settings.store.slowness = pick([0, 2, 8])
        settings.store.takesEntries = pick([true, true, true, false])
        settings.contents = pick([[], [.renditions], [.sources], [.renditions, .sources]])
        settings.decodes = pick([0, 3, 10])
        settings.hasMemory = pick([true, false])
        settings.hasNextProcess = pick([true, false, false]) && !settings.contents.isEmpty
        return settings
    }

    private static func operation(_ id: Int, _ random: inout ScheduleRandom) -> Operation {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            let policies: [CachePolicy] = [
                .use, .use, .use, .reload, .reload, .noStore, .immutable, .cacheOnly,
            ]
            return .load(
                Load(
                    id: id,
                    name: Int.random(in: 0..<2, using: &random),
                    side: [100, 200, 300][Int.random(in: 0..<3, using: &random)],
                    policy: policies[Int.random(in: policies.indices, using: &random)],
                    wantsData: Int.random(in: 0..<6, using: &random) == 0,
                    hasLimit: Int.random(in: 0..<4, using: &random) == 0
                )
            )
        case 5, 6:
            let isThere = Int.random(in: 0..<5, using: &random) > 0
            return .change(Int.random(in: 0..<2, using: &random), isThere: isThere)
        case 7: return .cancel(Int.random(in: 0..<max(id, 1), using: &random))
        case 8: return .end(Int.random(in: 0..<max(id, 1), using: &random))
        default: return .wait(milliseconds: Int.random(in: 1...120, using: &random))
        }
    }

    static func run(_ operations: [Operation]) async throws {
        var settings = Settings()
        if case .settings(let chosen) = operations.first { settings = chosen }
        let run = ChangingPicturesRun(settings)
        try await run.perform(operations)
        try await run.checkNextProcess()
    }
}

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
                for side in [100, 200, 300] {
                    let load = ChangingPictures.Load(id: -1, name: name, side: side, policy: .cacheOnly)
                    let outcome = await outcome(of: load, pipeline)
                    guard case .shown(let print) = outcome else { continue }
                    let picture = settings.contents.contains(.renditions) ? load.picture : nil
                    let least = book.reloaded(name, picture: picture)
                    guard print.name == name, print.version >= least else {
                        throw ScheduleViolation(
                            "the next process shows \(outcome) of \(load.picture), after a reload of \(least)"
                        )
                    }
                }
            }
        }
        guard origin.transport.statistics.requests == requests else {
            throw ScheduleViolation("the origin was asked for what is to come from the store alone")
        }
    }

    private func start(_ load: ChangingPictures.Load, _ pipeline: ImagePipeline) -> Task<Void, Never> {
        Task(name: "load \(load.id)") {
            // A store that fails to read has other pictures than one that fails to write.
            let isSteady = load.policy == .use && settings.store.failures == 0 && !load.wantsData
            book.begin(
                load.id,
                LoadBook.Question(name: load.name, policy: load.policy),
                picture: load.wantsData ? nil : load.picture,
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
            let facts =
                load.wantsData
                ? try await pipeline.data(for: request).facts
                : try await pipeline.rendition(for: request).source
            return LoadBook.Outcome(.success(facts?.storedSize ?? PixelSize(width: 0, height: 0)))
        } catch {
            return LoadBook.Outcome(.failure(error))
        }
    }
}
