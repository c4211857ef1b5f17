import TaskFlowTesting
import Testing

@testable import TaskFlow

/// What priority and deadline a flight has.
@Suite(.timeLimit(.minutes(1))) struct CoalescerPriorityTests {
    @Test func `the flight has the highest priority of its present waiters`() async throws {
        try await withTaskScope { scope in
            let fixture = FlightFixture(scope)
            let low = fixture.load(priority: .low)
            let live = try await fixture.begun.wait(count: 1)[0]
            #expect(live.current == .low)
            let high = fixture.load(priority: .high)
            try await fixture.waiters(2)
            try await waitUntil { live.current == .high }
            high.cancel()
            await #expect(throws: CancellationError.self) { try await high.value }
            try await waitUntil { live.current == .low }
            fixture.go.signal()
            #expect(try await low.value == 1)
            try await fixture.expectQuiet()
        }
    }

    @Test func `the flight has the earliest deadline of its present waiters`() async throws {
        try await withTaskScope { scope in
            let fixture = FlightFixture(scope)
            let now = ContinuousClock.now
            let patient = LivePriority(.normal)
            let first = Task {
                try await fixture.flights.value(for: "a", priority: patient, operation: fixture.fly)
            }
            let live = try await fixture.begun.wait(count: 1)[0]
            #expect(live.deadline == nil)
            let hurried = LivePriority(.low, deadline: now + .seconds(60))
            let second = Task {
                try await fixture.flights.value(for: "a", priority: hurried, operation: fixture.fly)
            }
            try await fixture.waiters(2)
            try await waitUntil { live.deadline == now + .seconds(60) }
            #expect(live.current == .normal)
            patient.set(deadline: now + .seconds(30))
            #expect(live.deadline == now + .seconds(30))
            patient.set(deadline: nil)
            #expect(live.deadline == now + .seconds(60))
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            try await waitUntil { live.deadline == nil }
            fixture.go.signal()
            #expect(try await first.value == 1)
            try await fixture.expectQuiet()
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
            let lowest = Recorder<LivePriority>()
            let load: @Sendable (WorkPriority) async throws -> Int = { priority in
                try await above.value(for: "picture", priority: priority) { upper in
                    try await below.value(for: "source", priority: upper.priority) { lower in
                        lowest.record(lower.priority)
                        try await gate.withPermit(priority: lower.priority) { passed.record("flight") }
                        return 1
                    }
                }
            }
            async let patient = load(.low)
            try await waitUntil { gate.snapshot.waiting == 1 }
            async let other: Void = gate.withPermit(priority: .normal) { passed.record("other") }
            try await waitUntil { gate.snapshot.waiting == 2 }
            // The gate follows already, so it is told before this one.
            let risen = Event()
            let live = try await lowest.wait(count: 1)[0]
            let observer = live.addObserver { risen.signal() }
            defer { live.removeObserver(observer) }
            async let urgent = load(.high)
            try await risen.wait()
            holder.release()
            #expect(try await patient + urgent == 2)
            try await other
            #expect(passed.values == ["flight", "other"])
        }
    }
}
