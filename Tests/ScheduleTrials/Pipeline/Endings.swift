import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeTestKit
import TaskFlow
import TaskFlowTesting

/// A pipeline whose scope ends at any moment while loads, tasks, prefetches and writes go on: all of it ends before the scope does.
enum Endings {
    enum Ending: CaseIterable, Sendable {
        case returns, throwing, cancelled
    }

    struct Settings: Sendable {
        var seed: UInt64 = 0
        var slowness = 3
        var decodes = 2
        var ending = Ending.returns
        /// How long the scope lives after the last operation.
        var milliseconds = 0
    }

    enum Operation: Sendable, CustomStringConvertible {
        case settings(Settings)
        case load(Int, SharedWork.Picture)
        case task(Int, SharedWork.Picture)
        case prefetch([SharedWork.Picture])
        case background
        case wait(milliseconds: Int)

        var description: String {
            switch self {
            case .settings(let settings): "\(settings)"
            case .load(let id, let picture): "\(id): load \(picture)"
            case .task(let id, let picture): "\(id): task for \(picture)"
            case .prefetch(let pictures): "prefetch \(pictures)"
            case .background: "work in the background"
            case .wait(let milliseconds): "wait \(milliseconds) ms"
            }
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [Operation] {
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        func picture() -> SharedWork.Picture {
            SharedWork.Picture(name: number(0..<2), side: 100 * number(1..<3))
        }
        let settings = Settings(
            seed: random.next(),
            slowness: number(0..<4),
            decodes: number(0..<3),
            ending: Ending.allCases[number(0..<3)],
            milliseconds: number(0..<3) * number(0..<50)
        )
        return [.settings(settings)]
            + (0..<number(1..<6)).map { id in
                switch number(0..<8) {
                case 0..<3: .load(id, picture())
                case 3, 4: .task(id, picture())
                case 5: .prefetch([picture(), picture()])
                case 6: .background
                default: .wait(milliseconds: number(1..<60))
                }
            }
    }

    static func run(_ operations: [Operation]) async throws {
        let settings = if case .settings(let chosen) = operations.first { chosen } else { Settings() }
        let run = EndingsRun(settings)
        let owner = Task(name: "owner") { try await run.perform(operations) }
        if settings.ending == .cancelled {
            try await Task.sleep(for: .milliseconds(settings.milliseconds))
            owner.cancel()
        }
        let result = await owner.result
        try await run.check(result)
    }
}

/// One run of such a program.
final class EndingsRun: Sendable {
    struct Thrown: Error {}

    private struct State {
        var loads: [Task<Void, Never>] = []
        /// What was shown while the scope was open, and so is in the store if the scope ended normally.
        var shown: Set<SharedWork.Picture> = []
        var hasLeft = false
        var backgroundCount = 0
        var pipeline: ImagePipeline?
        var violation: String?
    }

    private let settings: Endings.Settings
    private let origin: ChangingOrigin
    private let store: SlowStore
    private let events = EventBook()
    private let state = Guarded(State())

    init(_ settings: Endings.Settings) {
        self.settings = settings
        origin = ChangingOrigin(ChangingOrigin.Manners(slowness: settings.slowness), seed: settings.seed)
        store = SlowStore(SlowStore.Manners(slowness: 3), seed: settings.seed)
    }

    func perform(_ operations: [Endings.Operation]) async throws {
        var configuration = TrialPipeline.configuration(origin.transport)
        configuration.store = store
        configuration.stores = [.renditions, .sources]
        events.configure(&configuration)
        try await withImageCodec(configuration.codec) { [configuration] codec in
            let codec = SlowCodec(codec, slowness: settings.decodes)
            try await withImagePipeline(configuration, codec: codec) { pipeline in
                state.withLock { $0.pipeline = pipeline }
                defer { state.withLock { $0.hasLeft = true } }
                let prefetcher = Prefetcher(pipeline.renditionLoader)
                for operation in operations {
                    try await perform(operation, pipeline, prefetcher)
                    await Task.yield()
                }
                if settings.milliseconds > 0 {
                    try await Task.sleep(for: .milliseconds(settings.milliseconds))
                }
                if settings.ending == .throwing { throw Thrown() }
            }
        }
    }

    private func perform(
        _ operation: Endings.Operation,
        _ pipeline: ImagePipeline,
        _ prefetcher: Prefetcher
    ) async throws {
        switch operation {
        case .settings: break
        case .load(let id, let picture):
            load("load \(id)", picture) { try await pipeline.rendition(for: picture.request) }
        case .task(let id, let picture):
            let task = pipeline.task(for: picture.request)
            load("task \(id)", picture) { try await task.value }
        case .prefetch(let pictures): prefetcher.start(pictures.map(\.request))
        case .background:
            try await pipeline.inBackground(name: "background") {
                self.state.withLock { $0.backgroundCount += 1 }
                // What is cancelled ends at once.
                try? await Task.sleep(for: .milliseconds(50))
                self.state.withLock { $0.backgroundCount -= 1 }
            }
        case .wait(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
        }
    }

    private func load(
        _ name: String,
        _ picture: SharedWork.Picture,
        _ body: @escaping @Sendable () async throws -> Rendition
    ) {
        let task = Task(name: name) {
            do {
                let size = try await body().size
                scheduleNote("\(name) ends with a picture")
                self.state.withLock { state in
                    if TrialPictures.Print(size)?.name != picture.name {
                        state.violation = "\(name) shows \(size)"
                    }
                    if !state.hasLeft { state.shown.insert(picture) }
                }
            } catch {
                scheduleNote("\(name) ends with \(error)")
                self.judge(name, error)
            }
        }
        state.withLock { $0.loads.append(task) }
    }

    private func judge(_ name: String, _ error: any Error) {
        let isClosed = (error as? CalotypeError)?.code == .pipelineClosed
        if isClosed { sometimes("a load comes after the end of its pipeline") }
        state.withLock { state in
            // A task that is cancelled cancels what is within its scope at once.
            let mayEnd = state.hasLeft || settings.ending == .cancelled
            guard !(mayEnd && (isClosed || error is CancellationError)) else { return }
            state.violation = state.violation ?? "\(name) failed: \(error)"
        }
    }

    /// Checks, in the step in which the scope has ended, that nothing goes on; then that what was promised is stored.
    func check(_ result: Result<Void, any Error>) async throws {
        try TrialPipeline.expectNothingLeft(origin.transport, store)
        let state = state.withLock { state in
            defer { state.pipeline = nil }
            return state
        }
        if let pipeline = state.pipeline {
            guard pipeline.snapshot.isQuiet else {
                throw ScheduleError("the ended pipeline is not quiet: \(pipeline.snapshot)")
            }
            guard pipeline.memoryCache.count == 0 else {
                throw ScheduleError(
                    "the ended pipeline keeps \(pipeline.memoryCache.count) pictures in memory"
                )
            }
        }
        guard state.backgroundCount == 0 else {
            throw ScheduleError("work in the background goes on after the end")
        }
        for load in state.loads { await load.value }
        if let violation = self.state.withLock(\.violation) { throw ScheduleError(violation) }
        try events.check()
        try check(result, hasEndedNormally: settings.ending == .returns)
        if settings.ending == .returns { try await checkStored(state.shown) }
    }

    private func check(_ result: Result<Void, any Error>, hasEndedNormally: Bool) throws {
        switch (result, settings.ending) {
        case (.success, .returns), (.success, .cancelled), (.failure(is Thrown), .throwing): break
        case (.failure(is CancellationError), .cancelled): break
        default: throw ScheduleError("the scope ended with \(result)")
        }
    }

    /// What was shown before a normal end is in the store.
    private func checkStored(_ shown: Set<SharedWork.Picture>) async throws {
        let configuration = TrialPipeline.configuration(origin.transport)
        try await TrialPipeline.run(configuration, origin.transport, store: store) { pipeline in
            for picture in shown.sorted(by: { ($0.name, $0.side) < ($1.name, $1.side) }) {
                var request = picture.request
                request.cachePolicy = .cacheOnly
                do { _ = try await pipeline.rendition(for: request) } catch {
                    throw ScheduleError("\(picture) was shown and is not in the store: \(error)")
                }
                sometimes("the next process finds a picture")
            }
        }
    }
}
