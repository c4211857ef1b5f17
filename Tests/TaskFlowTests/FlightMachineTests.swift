import TaskFlowTesting
import Testing

@testable import TaskFlow

@Suite struct FlightMachineTests {
    @Test func `one flight per key, joined by callers that arrive while it is open`() {
        var machine = FlightMachine<String>()
        #expect(machine.join(1, key: "a", urgency: Urgency(.normal)) == .started(1))
        #expect(machine.join(2, key: "a", urgency: Urgency(.normal)) == .joined(1))
        #expect(machine.join(3, key: "b", urgency: Urgency(.normal)) == .started(2))
        #expect(machine.finish(1, key: "a") == [1, 2])
        #expect(machine.join(4, key: "a", urgency: Urgency(.normal)) == .started(3))
    }

    @Test func `only the last to leave abandons the flight`() {
        var machine = FlightMachine<String>()
        _ = machine.join(1, key: "a", urgency: Urgency(.normal))
        _ = machine.join(2, key: "a", urgency: Urgency(.normal))
        #expect(machine.leave(1, key: "a") == .left(1))
        #expect(machine.leave(1, key: "a") == .unknown)
        #expect(machine.leave(2, key: "a") == .abandoned(1))
        #expect(machine.flightCount == 1)
        #expect(machine.openKeyCount == 0)
        #expect(machine.finish(1, key: "a") == [])
        #expect(machine.flightCount == 0)
    }

    @Test func `the end of an abandoned flight leaves the newer one of its key alone`() {
        var machine = FlightMachine<String>()
        _ = machine.join(1, key: "a", urgency: Urgency(.normal))
        #expect(machine.leave(1, key: "a") == .abandoned(1))
        #expect(machine.join(2, key: "a", urgency: Urgency(.normal)) == .started(2))
        #expect(machine.finish(1, key: "a") == [])
        #expect(machine.join(3, key: "a", urgency: Urgency(.normal)) == .joined(2))
        #expect(machine.finish(2, key: "a") == [2, 3])
        #expect(machine.waiterCount == 0)
    }

    @Test func `the priority is the highest of the present waiters`() {
        var machine = FlightMachine<String>()
        _ = machine.join(1, key: "a", urgency: Urgency(.low))
        #expect(machine.urgency(for: "a")?.priority == .low)
        _ = machine.join(2, key: "a", urgency: Urgency(.high))
        #expect(machine.urgency(for: "a")?.priority == .high)
        #expect(machine.reprioritise(1, key: "a", to: Urgency(.veryHigh)) == 1)
        #expect(machine.urgency(for: "a")?.priority == .veryHigh)
        #expect(machine.reprioritise(1, key: "a", to: Urgency(.veryLow)) == 1)
        #expect(machine.urgency(for: "a")?.priority == .high)
        _ = machine.leave(2, key: "a")
        #expect(machine.urgency(for: "a")?.priority == .veryLow)
        #expect(machine.reprioritise(2, key: "a", to: Urgency(.high)) == nil)
    }

    @Test func `the deadline is the earliest of the present waiters, whatever their priority`() {
        let now = ContinuousClock.now
        var machine = FlightMachine<String>()
        _ = machine.join(1, key: "a", urgency: Urgency(.high))
        #expect(machine.urgency(for: "a") == Urgency(.high))
        _ = machine.join(2, key: "a", urgency: Urgency(.low, deadline: now + .seconds(2)))
        _ = machine.join(3, key: "a", urgency: Urgency(.low, deadline: now + .seconds(1)))
        #expect(machine.urgency(for: "a") == Urgency(.high, deadline: now + .seconds(1)))
        #expect(machine.leave(3, key: "a") == .left(1))
        #expect(machine.urgency(for: "a") == Urgency(.high, deadline: now + .seconds(2)))
        #expect(machine.reprioritise(2, key: "a", to: Urgency(.low, deadline: now + .seconds(5))) == 1)
        #expect(machine.urgency(for: "a") == Urgency(.high, deadline: now + .seconds(5)))
        #expect(machine.leave(1, key: "a") == .left(1))
        #expect(machine.urgency(for: "a") == Urgency(.low, deadline: now + .seconds(5)))
        #expect(machine.leave(2, key: "a") == .abandoned(1))
        #expect(machine.urgency(for: "a") == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a flight of twenty thousand knows the most urgent at every step`() {
        var random = ScheduleRandom(seed: 3)
        let now = ContinuousClock.now
        var machine = FlightMachine<String>()
        for waiter in 1...20_000 as ClosedRange<UInt64> {
            let deadline = now + .nanoseconds(Int.random(in: 0..<1_000_000, using: &random))
            _ = machine.join(waiter, key: "a", urgency: Urgency(.normal, deadline: deadline))
        }
        var last = now
        for waiter in 1..<20_000 as Range<UInt64> {
            guard let deadline = machine.urgency(for: "a")?.deadline else { break }
            if waiter > 1 { #expect(deadline <= last) }
            last = now + .nanoseconds(-Int(waiter))
            _ = machine.reprioritise(waiter, key: "a", to: Urgency(.normal, deadline: last))
            #expect(machine.urgency(for: "a")?.deadline == last)
        }
        for waiter in 1...20_000 as ClosedRange<UInt64> { _ = machine.leave(waiter, key: "a") }
        #expect(machine.openKeyCount == 0)
        #expect(machine.waiterCount == 0)
    }
}
