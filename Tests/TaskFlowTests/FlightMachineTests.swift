import Testing

@testable import TaskFlow

@Suite struct FlightMachineTests {
    @Test func `one flight per key, joined by those who come while it is open (1)`() {
        var machine = FlightMachine<String>()
        #expect(machine.join(1, key: "a", priority: .normal) == .started(1))
        #expect(machine.join(2, key: "a", priority: .normal) == .joined(1))
        #expect(machine.join(3, key: "b", priority: .normal) == .started(2))
        #expect(machine.finish(1) == [1, 2])
        #expect(machine.join(4, key: "a", priority: .normal) == .started(3))
    }

    @Test func `only the last to leave abandons the flight (7, 8, 20)`() {
        var machine = FlightMachine<String>()
        _ = machine.join(1, key: "a", priority: .normal)
        _ = machine.join(2, key: "a", priority: .normal)
        #expect(machine.leave(1) == .left(1))
        #expect(machine.leave(1) == .unknown)
        #expect(machine.leave(2) == .abandoned(1))
        #expect(machine.flightCount == 1)
        #expect(machine.openKeyCount == 0)
        #expect(machine.finish(1) == [])
        #expect(machine.flightCount == 0)
    }

    @Test func `the end of an abandoned flight leaves the newer one of its key alone (24)`() {
        var machine = FlightMachine<String>()
        _ = machine.join(1, key: "a", priority: .normal)
        #expect(machine.leave(1) == .abandoned(1))
        #expect(machine.join(2, key: "a", priority: .normal) == .started(2))
        #expect(machine.finish(1) == [])
        #expect(machine.join(3, key: "a", priority: .normal) == .joined(2))
        #expect(machine.finish(2) == [2, 3])
        #expect(machine.waiterCount == 0)
    }

    @Test func `the priority is the highest of the present waiters (14, 15)`() {
        var machine = FlightMachine<String>()
        _ = machine.join(1, key: "a", priority: .low)
        #expect(machine.priority(of: 1) == .low)
        _ = machine.join(2, key: "a", priority: .high)
        #expect(machine.priority(of: 1) == .high)
        #expect(machine.reprioritise(1, to: .veryHigh) == 1)
        #expect(machine.priority(of: 1) == .veryHigh)
        #expect(machine.reprioritise(1, to: .veryLow) == 1)
        #expect(machine.priority(of: 1) == .high)
        _ = machine.leave(2)
        #expect(machine.priority(of: 1) == .veryLow)
        #expect(machine.reprioritise(2, to: .high) == nil)
    }
}
