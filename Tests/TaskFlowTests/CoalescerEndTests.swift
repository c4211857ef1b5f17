import TaskFlow
import TaskFlowTesting
import Testing

/// How waiters leave, and how flights end.
@Suite(.timeLimit(.minutes(1))) struct CoalescerEndTests {
    @Test func `a cancelled waiter leaves alone and immediately`() async throws {
        try await withTaskScope { scope in
            let fixture = FlightFixture(scope)
            let first = fixture.load()
            try await fixture.begun.wait(count: 1)
            let second = fixture.load()
            try await fixture.waiters(2)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            #expect(fixture.ended.count == 0)
            fixture.go.signal()
            #expect(try await second.value == 1)
            #expect(fixture.ended.values == [false])
            try await fixture.expectQuiet()
        }
    }

    @Test func `the last waiter to leave cancels the flight, once`() async throws {
        try await withTaskScope { scope in
            let fixture = FlightFixture(scope)
            let loads = [fixture.load(), fixture.load()]
            try await fixture.waiters(2)
            try await fixture.begun.wait(count: 1)
            for load in loads { load.cancel() }
            for load in loads { load.cancel() }
            for load in loads { await #expect(throws: CancellationError.self) { try await load.value } }
            #expect(try await fixture.ended.wait(count: 1) == [true])
            try await fixture.expectQuiet()
        }
    }

    @Test func `a value that comes after the cancel is released`() async throws {
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

    @Test func `a failure reaches all waiters and the next caller starts over`() async throws {
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
    func `after a waiter is cancelled and the flight fails, the others continue`() async throws {
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

    @Test func `during the delivery of an outcome, a new caller starts over and leaving is too late`()
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

    @Test func `work that ends immediately leaves no entry`() async throws {
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

    @Test func `a cancelled caller starts nothing`() async throws {
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

    @Test func `the end of the scope fails the waiters, and new callers immediately`() async throws {
        let scope = TaskScope()
        let fixture = FlightFixture(scope)
        let load = fixture.load()
        try await fixture.begun.wait(count: 1)
        await scope.end()
        await #expect(throws: CancellationError.self) { try await load.value }
        await #expect(throws: TaskFlowError.scopeEnded) {
            try await fixture.flights.value(for: "a") { _ in 1 }
        }
        #expect(fixture.flights.flightCount == 0)
    }
}
