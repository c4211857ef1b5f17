import Calotype
import CalotypeCore
import TaskFlow
import TaskFlowTesting

/// Random programs of loads, batches, prefetches, cancels and priorities for pictures that stay as they are: whatever the order,
/// nothing is loaded or made twice unless somebody was cancelled.
enum SharedWork {
    struct Settings: Sendable {
        var seed: UInt64 = 0
        var keepsSources = true
        var slowness = 3
        var decodes = 3
    }

    struct Picture: Hashable, Sendable, CustomStringConvertible {
        let name: Int
        let side: Int

        var request: ImageRequest { ImageRequest(ChangingOrigin.url(name), .fit(side, side)) }
        var description: String { "\(name) at \(side)" }
    }

    enum Operation: Sendable, CustomStringConvertible {
        case settings(Settings)
        case load(Int, Picture)
        case task(Int, Picture, WorkPriority)
        case batch(Int, [Picture])
        case sizes(Int, name: Int, [Int])
        case prefetch(Int, [Picture])
        case stop([Picture])
        case cancel(Int)
        case priority(Int, WorkPriority)
        case wait(milliseconds: Int)

        var description: String {
            switch self {
            case .settings(let settings): "\(settings)"
            case .load(let id, let picture): "\(id): load \(picture)"
            case .task(let id, let picture, let priority): "\(id): task for \(picture), \(priority)"
            case .batch(let id, let pictures): "\(id): batch of \(pictures)"
            case .sizes(let id, let name, let sides): "\(id): \(name) at \(sides) from one decode"
            case .prefetch(let id, let pictures): "\(id): prefetch \(pictures)"
            case .stop(let pictures): "stop prefetching \(pictures)"
            case .cancel(let id): "cancel \(id)"
            case .priority(let id, let priority): "priority of \(id) becomes \(priority)"
            case .wait(let milliseconds): "wait \(milliseconds) ms"
            }
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [Operation] {
        let settings = Settings(
            seed: random.next(),
            keepsSources: Bool.random(using: &random),
            slowness: [0, 3, 10][Int.random(in: 0..<3, using: &random)],
            decodes: [0, 3][Int.random(in: 0..<2, using: &random)]
        )
        let count = Int.random(in: 2...5, using: &random)
        return [.settings(settings)] + (0..<count).map { operation($0, &random) }
    }

    private static func operation(_ id: Int, _ random: inout ScheduleRandom) -> Operation {
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        func picture() -> Picture { Picture(name: number(0..<2), side: 100 * number(1..<4)) }
        func pictures() -> [Picture] { (0..<number(1..<4)).map { _ in picture() } }
        func priority() -> WorkPriority { WorkPriority.allCases[number(0..<5)] }
        switch number(0..<12) {
        case 0, 1: return .load(id, picture())
        case 2, 3: return .task(id, picture(), priority())
        case 4: return .batch(id, pictures())
        case 5:
            return .sizes(
                id,
                name: number(0..<2),
                [100, 200, 300].filter { _ in number(0..<2) == 0 } + [100]
            )
        case 6: return .prefetch(id, pictures())
        case 7: return .stop(pictures())
        case 8, 9: return .cancel(number(0..<max(id, 1)))
        case 10: return .priority(number(0..<max(id, 1)), priority())
        default: return .wait(milliseconds: number(1..<80))
        }
    }

    static func run(_ operations: [Operation]) async throws {
        let settings = if case .settings(let chosen) = operations.first { chosen } else { Settings() }
        let origin = ChangingOrigin(ChangingOrigin.Manners(slowness: settings.slowness), seed: settings.seed)
        let store = SlowStore(SlowStore.Manners(slowness: 1), seed: settings.seed)
        let events = EventBook()
        var configuration = TrialPipeline.configuration(origin.transport)
        events.configure(&configuration)
        configuration.stores = settings.keepsSources ? [.renditions, .sources] : .renditions
        try await TrialPipeline.run(
            configuration,
            origin.transport,
            store: store,
            slowness: settings.decodes
        ) { pipeline in
            let run = SharedWorkRun(pipeline)
            for operation in operations {
                try await run.perform(operation)
                await Task.yield()
            }
            try await run.finish()
            // What was stopped ends after its list.
            try await TrialPipeline.expectQuiet(pipeline)
            try events.check()
            try run.check(origin, events, keepsSources: settings.keepsSources)
        }
    }
}
