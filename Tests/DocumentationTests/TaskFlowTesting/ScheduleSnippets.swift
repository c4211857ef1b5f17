import TaskFlow
import TaskFlowTesting
import Testing

// snippet: Schedules.cache
actor PriceCache {
    private var prices: [String: Int] = [:]
    private let fetch: @Sendable (String) async throws -> Int

    init(fetch: @escaping @Sendable (String) async throws -> Int) {
        self.fetch = fetch
    }

    func price(of item: String) async throws -> Int {
        if let price = prices[item] { return price }
        let price = try await fetch(item)
        prices[item] = price
        return price
    }

    func update(_ item: String, to price: Int) {
        prices[item] = price
    }
}
// end

@Suite(.timeLimit(.minutes(1))) struct ScheduleSnippets {
    @Test func `the order follows from the seed`() throws {
        // snippet: Schedules.order
        let order = try withDeterministicSchedule(seed: 42) {
            await withTaskGroup(of: Int.self) { group in
                for index in 0..<4 { group.addTask { index } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        // end
        #expect(order.sorted() == [0, 1, 2, 3])
    }

    @Test func `the race of the article is found, and its story is short`() throws {
        // snippet: Schedules.scenario
        enum Operation { case read, update(Int) }

        let scenario = ScheduleScenario("prices") { random in
            (0..<8).map { index in Bool.random(using: &random) ? Operation.read : .update(index) }
        } run: { operations in
            let cache = PriceCache { _ in
                try await Task.sleep(for: .seconds(1))
                return -1
            }
            try await withThrowingTaskGroup { group in
                for operation in operations {
                    switch operation {
                    case .read: group.addTask(name: "read") { _ = try await cache.price(of: "tea") }
                    case .update(let price):
                        group.addTask(name: "update") { await cache.update("tea", to: price) }
                    }
                }
                try await group.waitForAll()
            }
            let wasUpdated = operations.contains { if case .update = $0 { true } else { false } }
            if wasUpdated, try await cache.price(of: "tea") == -1 {
                throw ScheduleError("an old price came back")
            }
        }
        // end
        let failure = try #require(throws: ScheduleError.self) {
            // snippet: Schedules.explore
            try scenario.explore(seeds: 0..<2000)
            // end
        }
        #expect("\(failure)".hasPrefix("prices: an old price came back\nseed 1, replay \"1/5,7:\"\n"))
        #expect(throws: ScheduleError.self) {
            // snippet: Schedules.replay
            if let replay = ScheduleReplay("1/5,7:") { try scenario.replay(replay) }
            // end
        }
    }

    @Test func `a state that is reached`() throws {
        // snippet: Schedules.reaches
        let cancelled = ScheduleScenario("cancelled downloads", reaches: ["cancelled before it began"]) {
            let task = Task {
                if Task.isCancelled { sometimes("cancelled before it began") }
            }
            task.cancel()
            await task.value
        }
        try cancelled.explore(seeds: 0..<100)
        // end
    }
}
