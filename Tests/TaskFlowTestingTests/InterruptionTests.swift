import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct InterruptionTests {
    /// Threads that add to a number in two steps, between which others may come.
    private static func adding(threads: Int) -> ScheduleScenario {
        ScheduleScenario("a sum") {
            let sum = Guarded(0)
            try await withThreadExecutor(name: "adder", threads: threads) { executor in
                await withTaskGroup(of: Void.self) { group in
                    for index in 0..<2 {
                        group.addTask(name: "adder \(index)", executorPreference: executor) {
                            let before = sum.withLock(\.self)
                            TaskSchedule.pause("between reading and writing")
                            scheduleNote("has added")
                            sum.withLock { $0 = before + 1 }
                        }
                    }
                }
            }
            let found = sum.withLock(\.self)
            guard found == 2 else { throw ScheduleError("the sum is \(found)") }
        }
    }

    @Test func `blocking work is interrupted where the system could do it`() throws {
        let failure = #expect(throws: ScheduleError.self) {
            try Self.adding(threads: 2).explore(seeds: 0..<100)
        }
        let story = failure?.story ?? ""
        #expect(story.contains("is between reading and writing"))
        #expect(story.contains("'adder 0'"))
        if let replay = failure?.replay {
            #expect(throws: ScheduleError.self) { try Self.adding(threads: 2).replay(replay) }
        }
    }

    @Test func `one thread interrupts nobody`() throws {
        try Self.adding(threads: 1).explore(seeds: 0..<1000)
    }

    @Test func `what holds a lock is not interrupted`() throws {
        try ScheduleScenario("a locked pause") {
            let flag = Guarded(false)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { flag.withLock { _ in TaskSchedule.pause("inside a lock") } }
                group.addTask { flag.withLock { $0 = true } }
            }
        }.explore(seeds: 0..<100)
    }
}
