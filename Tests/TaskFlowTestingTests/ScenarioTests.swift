import TaskFlow
import TaskFlowTesting
import Testing

/// check, await, write
actor Counter {
    var values: [Int: Int] = [:]
    func add(_ key: Int) async {
        let old = values[key, default: 0]
        await Task.yield()
        values[key] = old + 1
    }
}

@Suite(.serialized) struct ScenarioTests {
    @Test func shrinks() throws {
        let scenario = ScheduleScenario("lost update", reaches: ["added"]) { random in
            (0..<12).map { _ in Int.random(in: 0..<6, using: &random) }
        } run: { keys in
            let counter = Counter()
            await withTaskGroup(of: Void.self) { group in
                for key in keys {
                    group.addTask(name: "add \(key)") {
                        scheduleNote("adds to \(key)"); sometimes("added"); await counter.add(key)
                    }
                }
            }
            let sum = await counter.values.values.reduce(0, +)
            guard sum == keys.count else { throw ScheduleViolation("\(keys.count - sum) updates were lost") }
        }
        do { try scenario.explore(seeds: 0..<2000) } catch {
            print(error)
            do { try scenario.replay((error as! ScheduleFailure).replay); print("NO") } catch {
                print("again")
            }
        }
    }
}
