import Dispatch
import TaskFlow
import Testing

@testable import TaskFlowTesting

@Suite(.timeLimit(.minutes(1)))
struct ScheduleErrorTests {
    private func failure(
        stepLimit: Int = 1000,
        _ body: @escaping @Sendable () async throws -> Void
    ) throws -> ScheduleError {
        try #require(throws: ScheduleError.self) {
            try withDeterministicSchedule(seed: 3, stepLimit: stepLimit, body)
        }
    }

    private static func block(_ semaphore: DispatchSemaphore) {
        semaphore.wait()
    }

    @Test func `what the closure throws is thrown with the seed and the story`() throws {
        let failure = try failure {
            await withTaskGroup(of: Void.self) { group in
                group.addTask(name: "writer") { scheduleNote("writes") }
            }
            throw ScheduleError("it is wrong")
        }
        let text = "\(failure)"
        #expect(failure.code == .violation && failure.cause == nil)
        #expect(text.hasPrefix("it is wrong\nseed 3, replay \"3:"))
        #expect(text.contains("task 2 'writer'"))
        #expect(text.contains("    writes"))
        #expect(
            text.contains(
                "task 1 'root' continues in closure #1 in TaskFlowTestingTests.ScheduleErrorTests.`what the closure"
            )
        )
    }

    @Test func `an error of another type is the cause`() throws {
        struct Odd: Error {}
        let failure = try failure { throw Odd() }
        #expect(failure.code == .programFailed && failure.cause is Odd && failure.replay != nil)
        #expect("\(failure)".hasPrefix("Odd()\nseed 3, replay \"3:"))
    }

    @Test func `a task that nobody resumes is an error`() throws {
        let failure = try failure {
            let latch = Latch<Int>()
            _ = try await latch.wait()
        }
        #expect(failure.message == "nothing can run any more, and the closure has not ended")
    }

    @Test func `a task that never ends is an error, also one that outlives the closure`() throws {
        let failure = try failure {
            Task { while true { try await Task.sleep(for: .seconds(1)) } }
        }
        #expect(failure.message == "still runs after 1000 steps")
    }

    @Test func `a task that another thread resumes is an error that names both`() throws {
        let failure = try failure {
            let waiting = Guarded<CheckedContinuation<Void, Never>?>(nil)
            let task = Task(name: "waiter") {
                scheduleNote("waits")
                await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
            }
            while waiting.withLock({ $0 == nil }) { await Task.yield() }
            let continuation = waiting.withLock(\.self)
            let resumed = DispatchSemaphore(value: 0)
            DispatchQueue(label: "stranger").async {
                continuation?.resume()
                resumed.signal()
            }
            Self.block(resumed)
            await task.value
        }
        #expect(
            failure.message.hasPrefix("left the schedule: task 2 'waiter' was resumed by the thread '")
        )
    }

    #if DEBUG
    @Test func `a task that is resumed inside a lock is an error that names it`() throws {
        let failure = try failure {
            let waiting = Guarded<CheckedContinuation<Void, Never>?>(nil)
            async let resumer: Void = {
                while waiting.withLock({ $0 == nil }) { await Task.yield() }
                waiting.withLock { $0?.resume() }
            }()
            await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
            await resumer
        }
        #expect(failure.message == "left the schedule: task 1 'root' was resumed inside a lock")
    }
    #endif

    @Test func `the functions of stories are shown without meaningless parts`() {
        let text = """
            (1) suspend resume partial function for closure #2 @Sendable () async throws -> A1 in (extension in \
            Demo):Demo.Cache.(make in _588566)<A where A: Swift.Sendable>(key: Swift.Int) async -> A
            """
        #expect(SymbolNames.shortened(text) == "closure #2 in Demo.Cache.make")
        #expect(
            SymbolNames.shortened("Demo.Cache.value(for: Swift.Int) async throws -> Swift.Int")
                == "Demo.Cache.value"
        )
    }

    @Test(arguments: [
        ScheduleReplay(seed: 0, operations: nil, choices: []),
        ScheduleReplay(seed: 17, operations: [], choices: [0, 3]),
        ScheduleReplay(seed: .max, operations: [0, 4, 9], choices: [1, 0, 0, 2]),
    ])
    func `a replay is read as it was written`(replay: ScheduleReplay) {
        #expect(ScheduleReplay("\(replay)") == replay)
    }

    @Test(arguments: [
        "", "17", ":", "x:", "1/2/3:", "1:x", "1:3.0", "1:3.1-2.1", "1:99999999.1", "1/x:", "-1:", "1:-2.1",
        "1:1.1.1",
    ])
    func `what is no replay is not read`(text: String) {
        #expect(ScheduleReplay(text) == nil)
    }
}
