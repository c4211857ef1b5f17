import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ScheduleScenarioTests {
    /// Reads, waits, and writes what it read plus one: other calls may write meanwhile.
    private actor Counters {
        private(set) var values: [Int: Int] = [:]

        func add(_ key: Int) async {
            let old = values[key, default: 0]
            await Task.yield()
            values[key] = old + 1
        }
    }

    private static let lostUpdates = ScheduleScenario("counters", reaches: ["added"]) { random in
        (0..<12).map { _ in Int.random(in: 0..<9, using: &random) }
    } run: { keys in
        let counters = Counters()
        await withTaskGroup(of: Void.self) { group in
            for key in keys {
                group.addTask(name: "add \(key)") {
                    sometimes("added")
                    await counters.add(key)
                }
            }
        }
        let sum = await counters.values.values.reduce(0, +)
        guard sum == keys.count else { throw ScheduleError("\(keys.count - sum) updates were lost") }
    }

    private func failure(_ body: () throws -> Void) throws -> ScheduleError {
        try #require(throws: ScheduleError.self, performing: body)
    }

    @Test func `of twelve operations, the two that are needed are left, and the replay fails again`() throws {
        let failure = try failure { try Self.lostUpdates.explore(seeds: 0..<1000) }
        let text = "\(failure)"
        #expect(text.hasPrefix("counters: 1 updates were lost"))
        #expect(text.count(of: "task 2 'add ") > 0 && text.count(of: "task 3 'add ") > 0)
        #expect(text.count(of: "task 4") == 0)
        let replay = try #require(failure.replay)
        let again = try self.failure { try Self.lostUpdates.replay(replay) }
        #expect(again.message == failure.message)
        #expect(again.story == failure.story)
    }

    @Test func `decisions that play no part are left out`() throws {
        // Goes wrong only if the second task passes the first.
        let scenario = ScheduleScenario("overtaking") {
            let order = Guarded<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<6 { group.addTask { order.withLock { $0.append(index) } } }
            }
            let found = order.withLock(\.self)
            guard let first = found.firstIndex(of: 0), let second = found.firstIndex(of: 1), first < second
            else {
                throw ScheduleError("1 was before 0")
            }
        }
        let failure = try failure { try scenario.explore(seeds: 0..<1000) }
        #expect(failure.replay?.description.split(separator: "-").count == 1)
        #expect(failure.story.components(of: ", out of turn").count == 2)
    }

    /// A bug that takes three steps in one order, of many tasks.
    @Test func `priorities that change find what takes some ordered steps`() throws {
        let scenario = ScheduleScenario("deep") {
            let stage = Guarded(0)
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        for _ in 0..<3 { await Task.yield() }
                        stage.withLock { if $0 == index { $0 += 1 } }
                    }
                }
            }
            guard stage.withLock(\.self) < 7 else { throw ScheduleError("all eight came in order") }
        }
        _ = try failure { try scenario.explore(seeds: 0..<100_000) }
    }

    @Test func `what decides besides the seed is found`() throws {
        let runs = Guarded(0)
        let scenario = ScheduleScenario("uncontrolled") {
            let isOdd = runs.withLock { runs in
                runs += 1
                return runs.isMultiple(of: 2)
            }
            if isOdd { await Task.yield() }
        }
        let failure = try failure { try scenario.explore(seeds: 0..<1) }
        #expect(failure.code == .uncontrolled)
        #expect(failure.message.hasPrefix("two runs of one seed differ, so something else decides too: "))
    }

    @Test func `a state that is never reached is an error`() throws {
        let scenario = ScheduleScenario("states", reaches: ["common", "rare"]) { sometimes("common") }
        let failure = try failure { try scenario.explore(seeds: 0..<20) }
        #expect(failure.code == .neverReached && failure.replay == nil)
        #expect(failure.message == "never reached in 20 runs: rare")
    }

    @Test func `how often states were reached is counted`() throws {
        let scenario = ScheduleScenario("states") { for _ in 0..<3 { sometimes("common") } }
        #expect(try scenario.explore(seeds: 0..<20) == ["common": 60])
        sometimes("outside a schedule nobody counts")
    }
}

extension String {
    fileprivate func components(of text: String) -> [Substring] {
        split(separator: text, omittingEmptySubsequences: false)
    }
    fileprivate func count(of text: String) -> Int { components(of: text).count - 1 }
}
