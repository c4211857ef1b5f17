import TaskFlow
import TaskFlowTesting
import Testing

private enum Locals {
    @TaskLocal static var name = "none"
}

/// Who shares a flight, and who starts one.
@Suite(.timeLimit(.minutes(1))) struct CoalescerSharingTests {
    @Test func `many callers of one key share one flight and each gets its value`() async throws {
        try await withTaskScope { scope in
            let fixture = FlightFixture(scope)
            let loads = (0..<100).map { _ in fixture.load() }
            try await fixture.waiters(100)
            fixture.go.signal()
            for load in loads { #expect(try await load.value == 1) }
            #expect(fixture.begun.count == 1)
            try await fixture.expectQuiet()
        }
    }

    @Test
    func `a caller after the cancel starts a flight that the old leaves alone`() async throws {
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

    @Test func `a flight is known while a caller would join it, not when it is abandoned`() async throws {
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

    @Test func `a flight sees the task-local values of its starter`() async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<Int, String>(scope: scope)
            let seen = try await Locals.$name.withValue("starter") {
                try await flights.value(for: 1) { _ in Locals.name }
            }
            #expect(seen == "starter")
        }
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
        var random = ScheduleRandom(seed: seed)
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
