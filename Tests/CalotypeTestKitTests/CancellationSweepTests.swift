import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CancellationSweepTests {
    private struct Odd: Error {}

    @Test func `a scenario is cut at each of its steps`() async throws {
        let progress = Recorder<Int>()
        let cuts = Recorder<Int?>()
        let report = try await CancellationSweep().run { context in
            for count in 0..<3 {
                progress.record(count)
                try await context.clock.sleep(for: .seconds(1))
            }
            progress.record(3)
        } check: { cut in
            cuts.record(cut.step)
        }
        // A job to begin with, and for each pause a move of the clock and a job.
        #expect([report.cuts, report.steps] == [7, 7])
        #expect(cuts.values == [nil, 1, 2, 3, 4, 5, 6, 7, 8])
        let whole = [0, 1, 2, 3]
        let cutShort = [[0], [0], [0, 1], [0, 1], [0, 1, 2], [0, 1, 2], whole].flatMap { $0 }
        #expect(progress.values == whole + cutShort + whole)
    }

    @Test func `all of a scenario runs on the calling thread`() async throws {
        actor Counter {
            var thread: UInt { pthread_self() }
        }
        let threads = Recorder<UInt>()
        try await CancellationSweep().run { context in
            let counter = Counter()
            threads.record(await counter.thread)
            async let one: Void = threads.record(pthread_self())
            await one
            try await withThrowingTaskGroup { group in
                for _ in 0..<3 { group.addTask { threads.record(pthread_self()) } }
                try await group.waitForAll()
            }
            await withTaskScope(executor: context.executor) { scope in
                // A scope that was cut takes nothing more.
                _ = try? scope.start { threads.record(pthread_self()) }
            }
            await withTaskExecutorPreference(context.executor) { threads.record(pthread_self()) }
            await Task.yield()
            threads.record(pthread_self())
        }
        #expect(threads.count > 8)
        #expect(Set(threads.values).count == 1)
    }

    @Test func `a scenario that waits for ever is reported as stuck, with what is known`() async {
        let failure = await sweepFailure {
            try await CancellationSweep().run { context in
                context.describe("door") { "shut" }
                try await Event().wait()
            }
        }
        #expect(failure?.cut?.step == nil)
        #expect(failure?.description.contains("stuck") == true)
        #expect(failure?.description.contains("door: shut") == true)
        #expect(failure?.description.contains("cancelling all of it ended it") == true)
    }

    @Test func `a waiter that a cancellation forgets is reported with its cut`() async {
        let contexts = Recorder<(SweepContext, Event)>()
        let failure = await sweepFailure {
            try await CancellationSweep().run { context in
                let door = Event()
                contexts.record((context, door))
                async let opening: Void = {
                    try await context.clock.sleep(for: .seconds(1))
                    door.signal()
                }()
                // Shielded from the cancellation, as code would be that does not heed it.
                await Task(executorPreference: context.executor) { try? await door.wait() }.value
                try await opening
            }
        }
        #expect(failure?.code == .scenarioStuck && failure?.cut?.step != nil)
        #expect(failure?.description.contains("stuck") == true)
        #expect(failure?.description.contains("not even cancelling all of it ended it") == true)
        contexts.values.last?.1.signal()
    }

    @Test func `what a scenario does not await is reported`() async {
        let failure = await sweepFailure {
            try await CancellationSweep().run { context in
                Task(executorPreference: context.executor) {
                    try await context.clock.sleep(for: .seconds(1))
                }
                await context.settle()
            }
        }
        #expect(failure?.code == .notQuiet)
        #expect(failure?.description.contains("0 jobs were run and 1 tasks slept") == true)
    }

    @Test func `an error is reported with its cut, and CancellationError is no error after a cut`()
        async
    {
        let first = await sweepFailure {
            try await CancellationSweep().run { _ in throw CancellationError() }
        }
        #expect(first?.code == .scenarioFailed && first?.cut != nil)
        #expect(first?.cut?.step == nil && first?.cause is CancellationError)
        let second = await sweepFailure {
            try await CancellationSweep().run { context in
                do {
                    try await context.clock.sleep(for: .seconds(1))
                } catch {
                    throw Odd()
                }
            }
        }
        #expect(second?.cut?.step == 1)
        #expect(second?.cause is Odd)
    }

    @Test func `a check that fails is reported with its cut`() async {
        let failure = await sweepFailure {
            try await CancellationSweep().run { _ in
            } check: { cut in
                if cut.step == 1 { throw TestKitError(leftovers: ["a descriptor"]) }
            }
        }
        #expect(failure?.code == .checkFailed && failure?.cut?.step == 1)
        #expect((failure?.cause as? TestKitError)?.leftovers == ["a descriptor"])
        #expect(failure?.description.contains("a descriptor") == true)
    }

    @Test func `a scenario that never rests is reported`() async {
        var sweep = CancellationSweep()
        sweep.maximumSteps = 50
        let failure = await sweepFailure {
            try await sweep.run { _ in
                while !Task.isCancelled { await Task.yield() }
            }
        }
        #expect(failure?.description.contains("more than 50 steps") == true)
    }

    @Test(arguments: [CancellationSweep.JobOrder.arrival, .random(seed: 1), .random(seed: 2)])
    func `only victims are cut, and the other waiters get theirs`(
        order: CancellationSweep.JobOrder
    ) async throws {
        let seen = Recorder<Int?>()
        let report = try await CancellationSweep(order: order).run { context in
            try await withTaskScope(executor: context.executor) { scope in
                let flights = Coalescer<Int, Int>(scope: scope)
                let load: @Sendable () async throws -> Int = {
                    try await flights.value(for: 1) { _ in
                        try await context.clock.sleep(for: .seconds(1))
                        return 7
                    }
                }
                async let other = load()
                let cut = try await context.victim(load)
                seen.record(cut)
                let value = try await other
                #expect(value == 7)
                await context.settle()
                #expect(flights.flightCount == 0 && flights.waiterCount == 0)
            }
        }
        #expect(report.cuts > 4)
        // Not cut in the first run, cut in between, and after the victim's end there is nothing to cut.
        #expect(seen.values.first == 7 && seen.values.last == 7)
        #expect(seen.values.dropFirst().dropLast().contains(nil))
    }

    @Test func `work that one waiter's cancel takes from the others is found`() async {
        let failure = await sweepFailure {
            try await CancellationSweep().run { context in
                // Shares its work by handing out the first caller's task.
                let shared = Guarded<Task<Int, any Error>?>(nil)
                let load: @Sendable () async throws -> Int = {
                    let task = shared.withLock { shared in
                        let task =
                            shared
                            ?? Task(executorPreference: context.executor) {
                                try await context.clock.sleep(for: .seconds(1))
                                return 7
                            }
                        shared = task
                        return task
                    }
                    return try await withTaskCancellationHandler {
                        try await task.value
                    } onCancel: {
                        task.cancel()
                    }
                }
                async let other = load()
                try await context.victim(load)
                _ = try await other
            }
        }
        #expect(failure?.cut?.step != nil)
        #expect(failure?.cause is CancellationError)
    }

    @Test func `the same seed gives the same order, another seed another one`() async throws {
        func orders(_ seed: UInt64) async throws -> [Int] {
            let order = Recorder<Int>()
            try await CancellationSweep(order: .random(seed: seed)).run { _ in
                await withTaskGroup { group in
                    for child in 0..<6 {
                        group.addTask {
                            order.record(child)
                            await Task.yield()
                            order.record(child + 10)
                        }
                    }
                }
            }
            return order.values
        }
        let first = try await orders(1)
        let again = try await orders(1)
        let other = try await orders(2)
        #expect(first == again)
        #expect(first != other)
    }

    @Test func `jobs from other threads are waited for when asked`() async throws {
        try await withThreadExecutor(name: "outside", threads: 1) { outside in
            let scenario: @Sendable (SweepContext) async throws -> Void = { _ in
                try await outside.run { _ = usleep(2000) }
            }
            var sweep = CancellationSweep()
            sweep.patience = .seconds(20)
            let report = try await sweep.run(scenario: scenario)
            #expect(report.cuts > 0)
        }
    }
}

/// The failure that a sweep throws.
private func sweepFailure(_ body: () async throws -> Void) async -> TestKitError? {
    do {
        try await body()
        return nil
    } catch let error as TestKitError {
        return error
    } catch {
        Issue.record("\(error) is no failure of a sweep")
        return nil
    }
}
