import Calotype
import CalotypeCore
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

    /// What is asked for.
    enum Kind: CaseIterable, Sendable {
        case picture, bitmap, data
        /// Something that is made of the source and kept in the store.
        case derived
    }

    struct Load: Sendable {
        let id: Int
        let name: Int
        let side: Int
        let policy: CachePolicy
        var kind = Kind.picture
        /// Another limit makes another download.
        var hasLimit = false

        var picture: String {
            "\(kind) of \(name)\(kind == .derived ? "" : " at \(side)")\(hasLimit ? ", limited" : "")"
        }
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
                "load \(load.id): \(load.picture), \(load.policy)"
            case .change(let name, let isThere): "the origin \(isThere ? "changes" : "removes") \(name)"
            case .cancel(let id): "cancel load \(id)"
            case .end(let id): "wait for load \(id)"
            case .wait(let milliseconds): "wait \(milliseconds) ms"
            }
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [Operation] {
        let count = Int.random(in: 2...6, using: &random)
        return [.settings(settings(&random))] + (0..<count).map { operation($0, &random) }
    }

    /// A few loads of one picture in several sizes while it changes, over nothing that fails.
    static func smallProgram(_ random: inout ScheduleRandom) -> [Operation] {
        var settings = Settings(seed: random.next())
        settings.decodes = 10
        settings.store.slowness = 0
        settings.contents = Bool.random(using: &random) ? [] : [.renditions, .sources]
        settings.hasNextProcess = !settings.contents.isEmpty && Bool.random(using: &random)
        let kind =
            Bool.random(using: &random) ? Kind.picture : Kind.allCases[Int.random(in: 0..<4, using: &random)]
        let count = Int.random(in: 2...4, using: &random)
        let operations = (0..<count).map { id -> Operation in
            switch Int.random(in: 0..<5, using: &random) {
            case 0: return .end(Int.random(in: 0..<max(id, 1), using: &random))
            case 1: return .wait(milliseconds: Int.random(in: 1...60, using: &random))
            default:
                let side = [100, 200, 300][Int.random(in: 0..<3, using: &random)]
                let policy: CachePolicy = Bool.random(using: &random) ? .reload : .use
                return .load(Load(id: id, name: 0, side: side, policy: policy, kind: kind))
            }
        }
        // Something to reload, and somebody who wants it afterwards.
        let change = Int.random(in: 0...count, using: &random)
        let last = Load(id: count, name: 0, side: 100, policy: .use, kind: kind)
        return [.settings(settings)] + operations[..<change] + [
            .change(0, isThere: Int.random(in: 0..<4, using: &random) > 0)
        ]
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
                    kind: Bool.random(using: &random)
                        ? .picture : Kind.allCases[Int.random(in: 0..<4, using: &random)],
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
