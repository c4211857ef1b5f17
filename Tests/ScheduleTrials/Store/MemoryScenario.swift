internal import CalotypeCore
internal import CalotypeStore
internal import TaskFlowTesting

extension ScheduleScenario {
    static let memory = ScheduleScenario(
        "the memory cache keeps what was used last, within its limits",
        reaches: ["pushed out", "expired", "refused for its cost", "stored over another"],
        program: MemoryStep.program,
        run: MemoryRun.run
    )
}

/// A step of the programs for the memory cache.
struct MemoryStep: Sendable, CustomStringConvertible {
    enum Action: Sendable {
        case read, members, remove, removeFamily, removeAll, removeExpired
        case store(cost: Int, lasting: Int?)
        case replace(cost: Int, lasting: Int?)
        case trim(bytes: Int)
        case trimCount(Int)
        case limit(bytes: Int, count: Int)
    }

    let number: Int
    let task: Int
    let pause: Int
    /// Keys are one family if they have the same half.
    let key: Int
    let action: Action

    var description: String { "task \(task), after \(pause) ms: value \(number), \(action) key \(key)" }

    static let program: @Sendable (inout ScheduleRandom) -> [MemoryStep] = { random in
        (0..<Int.random(in: 4...24, using: &random)).map { number in
            Self(
                number: number,
                task: Int.random(in: 0..<3, using: &random),
                pause: Int.random(in: 0...2, using: &random),
                key: Int.random(in: 0..<5, using: &random),
                action: action(&random)
            )
        }
    }

    private static func action(_ random: inout ScheduleRandom) -> Action {
        let cost = Int.random(in: 0...30, using: &random)
        let lasting = Bool.random(using: &random) ? nil : Int.random(in: 0...3, using: &random)
        return switch Int.random(in: 0..<24, using: &random) {
        case 0..<6: .read
        case 6..<12: .store(cost: cost, lasting: lasting)
        case 12..<16: .replace(cost: cost, lasting: lasting)
        case 16: .remove
        case 17: .removeFamily
        case 18: .members
        case 19: .trim(bytes: cost)
        case 20: .trimCount(cost / 8)
        case 21: .removeExpired
        case 22: .limit(bytes: 40 + cost * 4, count: 1 + cost / 6)
        default: .removeAll
        }
    }
}

/// A run of a program: each call takes effect in one step, so the list must agree with the cache after all of them.
final class MemoryRun: Sendable {
    struct Value: Hashable, Sendable {
        let number: Int
        let cost: Int
    }

    static let run: @Sendable ([MemoryStep]) async throws -> Void = { steps in
        let list = MemoryList()
        let cache = MemoryCache<Int, Value>(
            limits: MemoryCacheLimits(bytes: ByteCount(list.bytes), count: list.count),
            clock: ContinuousClock(),
            cost: { ByteCount($0.cost) },
            family: { $0 / 2 }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<3 {
                let own = steps.filter { $0.task == task }
                group.addTask(name: "task \(task)") {
                    for step in own {
                        if step.pause > 0 { try await Task.sleep(for: .milliseconds(step.pause)) }
                        try list.take(step, cache)
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
