/// Shortens a failing run to what it needs to fail.
///
/// Removes decisions that skip the oldest job, then operations. It removes halves first, then ever smaller
/// parts: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
struct ScheduleShrinker {
    private(set) var kept: [Int]
    private(set) var choices: [Int]
    private let scenario: ScheduleScenario
    private let seed: UInt64
    private let kind: String
    /// The maximum number of further runs.
    private var budget = 40_000

    init(_ scenario: ScheduleScenario, seed: UInt64, operations: Int, error: any Error, choices: [Int]) {
        self.scenario = scenario
        self.seed = seed
        kept = Array(0..<operations)
        self.choices = choices
        kind = Self.kind(error)
    }

    mutating func shrink() {
        shrinkChoices()
        guard kept.count > 1 else { return }
        shrinkOperations()
        shrinkChoices()
    }

    /// The kind of an error: a shorter run counts only if it fails in the same way.
    private static func kind(_ error: any Error) -> String {
        switch error {
        case let error as ScheduleError: error.code.description
        default: "\(type(of: error))"
        }
    }

    private mutating func shrinkChoices() {
        let all = choices
        func only(_ left: [Int]) -> [Int] {
            var fewer = Array(repeating: 0, count: left.last.map { $0 + 1 } ?? 0)
            for index in left { fewer[index] = all[index] }
            return fewer
        }
        let left = reduce(all.indices.filter { all[$0] != 0 }) { shrinker, left in
            shrinker.fails(shrinker.kept, .recorded(only(left))) != nil
        }
        choices = only(left)
        for index in left { lower(index) }
        // Lower choices may make others unnecessary.
        if choices != all { shrinkChoices() }
    }

    /// Lowers a choice, so that fewer jobs wait for one that runs out of turn.
    private mutating func lower(_ index: Int) {
        for choice in [1, choices[index] / 2, choices[index] - 1] where (1..<choices[index]).contains(choice)
        {
            var lower = choices
            lower[index] = choice
            if fails(kept, .recorded(lower)) != nil { choices = lower }
        }
    }

    private mutating func shrinkOperations() {
        _ = reduce(kept) { shrinker, left in
            guard let choices = shrinker.anyFailure(of: left) else { return false }
            shrinker.kept = left
            shrinker.choices = choices
            return true
        }
    }

    /// Finds a failure of these operations.
    ///
    /// Other operations mean other decisions, so it tries some new orders too.
    private mutating func anyFailure(of operations: [Int]) -> [Int]? {
        if let choices = fails(operations, .recorded(choices)) { return choices }
        for other in 0..<256 as Range<UInt64> {
            if let choices = fails(operations, ScheduleScenario.policy(other), orderSeed: other) {
                return choices
            }
        }
        return nil
    }

    /// Removes parts of the items while the rest still fails.
    private mutating func reduce(_ items: [Int], _ fails: (inout Self, [Int]) -> Bool) -> [Int] {
        var items = items
        var parts = 2
        if fails(&self, []) { return [] }
        while items.count > 1 {
            let size = (items.count + parts - 1) / parts
            let bounds = stride(from: 0, to: items.count, by: size).map { ($0, min($0 + size, items.count)) }
            let smaller =
                bounds.map { Array(items[$0..<$1]) } + bounds.map { Array(items[..<$0] + items[$1...]) }
            let found = smaller.first { budget > 0 && fails(&self, $0) }
            if let found {
                parts = found.count <= size ? 2 : max(parts - 1, 2)
                items = found
            } else if parts < items.count, budget > 0 {
                parts = min(parts * 2, items.count)
            } else {
                break
            }
        }
        return items
    }

    /// Runs, and returns the decisions if the run fails in the same way.
    private mutating func fails(
        _ operations: [Int],
        _ policy: SchedulePolicy,
        orderSeed: UInt64? = nil
    ) -> [Int]? {
        guard budget > 0 else { return nil }
        budget -= 1
        let run = scenario.run(seed, operations, policy, orderSeed: orderSeed)
        guard case .failure(let error) = run.result, Self.kind(error) == kind else { return nil }
        return Array(run.log.choices.reversed().drop { $0 == 0 }.reversed())
    }
}
