import CalotypeTestKit
import TaskFlow
import Testing

private enum Locals {
    @TaskLocal static var name = "none"
}

@Suite(.timeLimit(.minutes(1))) struct CoalescerTests {
    /// A coalescer whose flights begin, wait for the test, and end.
    private struct Bench: Sendable {
        let scope: TaskScope
        let flights: Coalescer<String, Int>
        let begun = Recorder<LivePriority>()
        let ended = Recorder<Bool>()
        let go = Event()

        init(_ scope: TaskScope) {
            self.scope = scope
            flights = Coalescer(scope: scope, name: "flight")
        }

        func load(_ key: String = "a", priority: WorkPriority = .normal) -> Task<Int, any Error> {
            Task { try await flights.value(for: key, priority: priority) { try await fly($0) } }
        }

        func fly(_ context: FlightContext) async throws -> Int {
            begun.record(context.priority)
            defer { ended.record(Task.isCancelled) }
            try await go.wait()
            return begun.count
        }

        func waiters(_ count: Int) async throws {
            try await waitUntil { flights.waiterCount == count }
        }

        func expectQuiet() async throws {
            try await waitUntil { flights.flightCount == 0 }
            #expect(flights.waiterCount == 0)
        }
    }

    @Test func `many callers of one key share one flight and each gets its value (1, 16, 19)`() async throws {
        try await withTaskScope { scope in
            let bench = Bench(scope)
            let loads = (0..<100).map { _ in bench.load() }
            try await bench.waiters(100)
            bench.go.signal()
            for load in loads { #expect(try await load.value == 1) }
            #expect(bench.begun.count == 1)
            try await bench.expectQuiet()
        }
    }

    @Test func `a waiter that is cancelled leaves alone and at once (7, 18)`() async throws {
        try await withTaskScope { scope in
            let bench = Bench(scope)
            let first = bench.load()
            try await bench.begun.wait(count: 1)
            let second = bench.load()
            try await bench.waiters(2)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            #expect(bench.ended.count == 0)
            bench.go.signal()
            #expect(try await second.value == 1)
            #expect(bench.ended.values == [false])
            try await bench.expectQuiet()
        }
    }

    @Test func `the last waiter to leave cancels the flight, once (8, 27)`() async throws {
        try await withTaskScope { scope in
            let bench = Bench(scope)
            let loads = [bench.load(), bench.load()]
            try await bench.waiters(2)
            try await bench.begun.wait(count: 1)
            for load in loads { load.cancel() }
            for load in loads { load.cancel() }
            for load in loads { await #expect(throws: CancellationError.self) { try await load.value } }
            #expect(try await bench.ended.wait(count: 1) == [true])
            try await bench.expectQuiet()
        }
    }

    @Test
    func `a caller after the cancel starts a flight that the old leaves alone (12, 17, 24)`() async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<String, Int>(scope: scope)
            let begun = Event()
            let oldMayEnd = Event()
            let old = Task {
                try await flights.value(for: "a") { _ in
                    begun.signal()
                    // A child without our cancellation: an operation that does not notice it.
                    await Task { try? await oldMayEnd.wait() }.value
                    return 1
                }
            }
            try await begun.wait()
            old.cancel()
            await #expect(throws: CancellationError.self) { try await old.value }
            let newMayEnd = Event()
            let new = Task {
                try await flights.value(for: "a") { _ in
                    try await newMayEnd.wait()
                    return 2
                }
            }
            try await waitUntil { flights.flightCount == 2 }
            oldMayEnd.signal()
            try await waitUntil { flights.flightCount == 1 }
            let joiner = Task { try await flights.value(for: "a") { _ in 3 } }
            try await waitUntil { flights.waiterCount == 2 }
            newMayEnd.signal()
            #expect(try await new.value == 2)
            #expect(try await joiner.value == 2)
            try await waitUntil { flights.flightCount == 0 }
        }
    }

    @Test func `a value that comes after the cancel is released (22, 34)`() async throws {
        final class Value: Sendable {
            let freed: Event
            init(freed: Event) { self.freed = freed }
            deinit { freed.signal() }
        }
        let freed = Event()
        try await withTaskScope { scope in
            let flights = Coalescer<Int, Value>(scope: scope)
            let begun = Event()
            let mayEnd = Event()
            let load = Task {
                _ = try await flights.value(for: 1) { _ in
                    begun.signal()
                    await Task { try? await mayEnd.wait() }.value
                    return Value(freed: freed)
                }
            }
            try await begun.wait()
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            mayEnd.signal()
            try await freed.wait()
        }
    }

    @Test func `a failure reaches all waiters and the next caller starts anew (11, 25)`() async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<String, Int>(scope: scope)
            let mayFail = Event()
            let loads = (0..<10).map { _ in
                Task {
                    try await flights.value(for: "a") { _ in
                        try await mayFail.wait()
                        throw Failure(number: 7)
                    }
                }
            }
            try await waitUntil { flights.waiterCount == 10 }
            loads[3].cancel()
            try await waitUntil { flights.waiterCount == 9 }
            mayFail.signal()
            for (index, load) in loads.enumerated() where index != 3 {
                await #expect(throws: Failure(number: 7)) { try await load.value }
            }
            #expect(try await flights.value(for: "a") { _ in 5 } == 5)
            try await waitUntil { flights.flightCount == 0 }
        }
    }

    @Test
    func `a waiter is cancelled, then the flight fails: the others go on (26, 26b)`() async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<String, Int>(scope: scope)
            let mayFail = Event()
            @Sendable func fail(_ context: FlightContext) async throws -> Int {
                try await mayFail.wait()
                throw Failure()
            }
            let leader = Task { try await flights.value(for: "a", operation: fail) }
            try await waitUntil { flights.waiterCount == 1 }
            let follower = Task { try await flights.value(for: "a", operation: fail) }
            try await waitUntil { flights.waiterCount == 2 }
            leader.cancel()
            await #expect(throws: CancellationError.self) { try await leader.value }
            #expect(try await flights.value(for: "b") { _ in 1 } == 1)
            mayFail.signal()
            await #expect(throws: Failure.self) { try await follower.value }
            #expect(try await flights.value(for: "a") { _ in 2 } == 2)
            try await waitUntil { flights.flightCount == 0 }
        }
    }

    @Test func `while an outcome is delivered, who comes starts anew and who leaves is too late (21)`()
        async throws
    {
        let executor = ManualExecutor()
        let scope = TaskScope(executor: executor)
        let flights = Coalescer<Int, Int>(scope: scope)
        let starts = Recorder<Int>()
        let load: @Sendable () -> Task<Int, any Error> = {
            Task(executorPreference: executor) {
                try await flights.value(for: 1) { _ in
                    starts.record(starts.count)
                    return starts.count
                }
            }
        }
        let loads = [load(), load()]
        while starts.count == 0 { executor.runOne() }
        #expect(flights.waiterCount == 0)
        let late = load()
        loads[1].cancel()
        executor.runUntilIdle()
        for load in loads { #expect(try await load.value == 1) }
        #expect(try await late.value == 2)
        #expect(flights.flightCount == 0)
        await scope.end()
    }

    @Test func `work that ends at once leaves no entry (13)`() async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<Int, Int>(scope: scope)
            for key in 0..<100 {
                let value = try await flights.value(for: key % 3) { _ in key }
                #expect(value == key)
            }
            #expect(flights.flightCount == 0)
            #expect(flights.waiterCount == 0)
        }
    }

    @Test func `the flight has the highest priority of its present waiters (14, 15)`() async throws {
        try await withTaskScope { scope in
            let bench = Bench(scope)
            let low = bench.load(priority: .low)
            let live = try await bench.begun.wait(count: 1)[0]
            #expect(live.current == .low)
            let high = bench.load(priority: .high)
            try await bench.waiters(2)
            try await waitUntil { live.current == .high }
            high.cancel()
            await #expect(throws: CancellationError.self) { try await high.value }
            try await waitUntil { live.current == .low }
            bench.go.signal()
            #expect(try await low.value == 1)
            try await bench.expectQuiet()
        }
    }

    @Test func `the flight has the earliest deadline of its present waiters (14)`() async throws {
        try await withTaskScope { scope in
            let bench = Bench(scope)
            let now = ContinuousClock.now
            let patient = LivePriority(.normal)
            let first = Task {
                try await bench.flights.value(for: "a", priority: patient, operation: bench.fly)
            }
            let live = try await bench.begun.wait(count: 1)[0]
            #expect(live.deadline == nil)
            let hurried = LivePriority(.low, deadline: now + .seconds(60))
            let second = Task {
                try await bench.flights.value(for: "a", priority: hurried, operation: bench.fly)
            }
            try await bench.waiters(2)
            try await waitUntil { live.deadline == now + .seconds(60) }
            #expect(live.current == .normal)
            patient.set(deadline: now + .seconds(30))
            #expect(live.deadline == now + .seconds(30))
            patient.set(deadline: nil)
            #expect(live.deadline == now + .seconds(60))
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            try await waitUntil { live.deadline == nil }
            bench.go.signal()
            #expect(try await first.value == 1)
            try await bench.expectQuiet()
        }
    }

    @Test func `a flight is known while a caller would join it, not when it is abandoned (12)`() async throws
    {
        try await withTaskScope { scope in
            let flights = Coalescer<String, Int>(scope: scope)
            let begun = Event()
            let mayEnd = Event()
            let load = Task {
                try await flights.value(for: "a") { _ in
                    begun.signal()
                    await Task { try? await mayEnd.wait() }.value
                    return 1
                }
            }
            try await begun.wait()
            #expect(flights.hasFlight(for: "a"))
            #expect(!flights.hasFlight(for: "b"))
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            #expect(!flights.hasFlight(for: "a"))
            #expect(flights.flightCount == 1)
            mayEnd.signal()
            try await waitUntil { flights.flightCount == 0 }
        }
    }

    @Test func `a flight may wait for another of its coalescer while both change priority`() async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<Int, Int>(scope: scope)
            let go = Event()
            let live = LivePriority(.low)
            let load = Task {
                try await flights.value(for: 3, priority: live) { try await Self.descend(3, $0, flights, go) }
            }
            try await waitUntil { flights.flightCount == 4 }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask { live.set(WorkPriority.allCases[number % 5]) }
                    group.addTask {
                        let joiner = Task {
                            try await flights.value(for: number % 3, priority: live) { _ in 0 }
                        }
                        await Task.yield()
                        joiner.cancel()
                        _ = await joiner.result
                    }
                }
            }
            go.signal()
            #expect(try await load.value == 3)
            try await waitUntil { flights.flightCount == 0 }
        }
    }

    /// The value of a key is one more than that of the key below it.
    private static func descend(
        _ key: Int,
        _ context: FlightContext,
        _ flights: Coalescer<Int, Int>,
        _ go: Event
    ) async throws -> Int {
        guard key > 0 else {
            try await go.wait()
            return 0
        }
        let below = try await flights.value(for: key - 1, priority: context.priority) { below in
            try await descend(key - 1, below, flights, go)
        }
        return below + 1
    }

    @Test func `a priority that rises above reaches the gate below, through two coalescers`() async throws {
        try await withTaskScope { scope in
            let gate = AdmissionGate(capacity: 1)
            let holder = try await gate.acquire()
            let above = Coalescer<String, Int>(scope: scope)
            let below = Coalescer<String, Int>(scope: scope)
            let passed = Recorder<String>()
            let load: @Sendable (WorkPriority) async throws -> Int = { priority in
                try await above.value(for: "picture", priority: priority) { upper in
                    try await below.value(for: "source", priority: upper.priority) { lower in
                        try await gate.withPermit(priority: lower.priority) { passed.record("flight") }
                        return 1
                    }
                }
            }
            async let patient = load(.low)
            try await waitUntil { gate.snapshot.waiting == 1 }
            async let other: Void = gate.withPermit(priority: .normal) { passed.record("other") }
            try await waitUntil { gate.snapshot.waiting == 2 }
            async let urgent = load(.high)
            try await waitUntil { above.waiterCount == 2 }
            holder.release()
            #expect(try await patient + urgent == 2)
            try await other
            #expect(passed.values == ["flight", "other"])
        }
    }

    @Test func `a flight sees the task-local values of its starter`() async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<Int, String>(scope: scope)
            let seen = try await Locals.$name.withValue("starter") {
                try await flights.value(for: 1) { _ in Locals.name }
            }
            #expect(seen == "starter")
        }
    }

    @Test func `a cancelled caller starts nothing (29)`() async throws {
        await withTaskScope { scope in
            let flights = Coalescer<Int, Int>(scope: scope)
            let never = Event()
            let load = Task {
                try? await never.wait()
                return try await flights.value(for: 1) { _ in
                    Issue.record("a cancelled caller started a flight")
                    return 1
                }
            }
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            #expect(flights.flightCount == 0)
        }
    }

    @Test func `the end of the scope fails the waiters, and new callers at once (32, 38)`() async throws {
        let scope = TaskScope()
        let bench = Bench(scope)
        let load = bench.load()
        try await bench.begun.wait(count: 1)
        await scope.end()
        await #expect(throws: CancellationError.self) { try await load.value }
        await #expect(throws: TaskScopeEnded.self) { try await bench.flights.value(for: "a") { _ in 1 } }
        #expect(bench.flights.flightCount == 0)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `no interleaving loses a waiter or leaves a flight`(seed: UInt64) async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<Int, Int>(scope: scope)
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<400 as Range<UInt64> {
                    group.addTask { await Self.call(flights, seed: seed &* 1_000 &+ index) }
                }
            }
            #expect(flights.waiterCount == 0)
            try await waitUntil { flights.flightCount == 0 }
        }
    }

    private static func call(_ flights: Coalescer<Int, Int>, seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        let key = Int.random(in: 0..<6, using: &random)
        let pauses = Int.random(in: 0...5, using: &random)
        let fails = Int.random(in: 0..<5, using: &random) == 0
        let priority = WorkPriority.allCases.randomElement(using: &random) ?? .normal
        let caller = Task {
            try await flights.value(for: key, priority: priority) { _ in
                for _ in 0..<pauses { await Task.yield() }
                try Task.checkCancellation()
                if fails { throw Failure() }
                return key
            }
        }
        for _ in 0..<Int.random(in: 0...8, using: &random) { await Task.yield() }
        let isCancelled = Bool.random(using: &random)
        if isCancelled { caller.cancel() }
        switch await caller.result {
        case .success(let value): #expect(value == key)
        case .failure(is Failure): break
        case .failure(let error): #expect(isCancelled && error is CancellationError)
        }
    }
}
