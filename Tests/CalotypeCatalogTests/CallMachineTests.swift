import CalotypeCore
import CalotypeTestKit
import Testing

@testable import CalotypeCatalog

struct CallMachineTests {
    /// Two at once, then one each ten seconds: eight within any minute.
    private let limit = CallLimit(callsPerMinute: 8, burst: 2)

    @Test func `a burst starts immediately, the rest over time`() {
        var machine = CallMachine(limit)
        #expect(machine.ask(1, at: .seconds(5)) == .go)
        #expect(machine.ask(2, at: .seconds(5)) == .go)
        #expect(machine.ask(3, at: .seconds(6)) == .wait(.seconds(9)))
        #expect(machine.ask(3, at: .seconds(15)) == .go)
        #expect(machine.waiterCount == 0)
    }

    @Test func `waiters proceed in the order in which they arrived`() {
        var machine = CallMachine(limit)
        for caller: UInt64 in 1...2 { #expect(machine.ask(caller, at: .zero) == .go) }
        for caller: UInt64 in 3...4 { #expect(machine.ask(caller, at: .zero) == .wait(.seconds(10))) }
        #expect(machine.ask(4, at: .seconds(10)) == .wait(.seconds(10)))
        #expect(machine.ask(5, at: .seconds(10)) == .wait(.seconds(10)))
        #expect(machine.ask(3, at: .seconds(10)) == .go)
        #expect(machine.ask(4, at: .seconds(20)) == .go)
        #expect(machine.waiterCount == 1)
    }

    @Test func `a client that leaves makes room for the next`() {
        var machine = CallMachine(limit)
        for caller: UInt64 in 1...4 { _ = machine.ask(caller, at: .zero) }
        machine.leave(3)
        #expect(machine.ask(4, at: .seconds(10)) == .go)
    }

    @Test func `never more calls within a minute than allowed`() {
        var machine = CallMachine(.appStore)
        var calls: [Int] = []
        for second in 0..<600 where machine.ask(1, at: .seconds(second)) == .go { calls.append(second) }
        for second in 0..<540 {
            #expect(calls.count { (second..<second + 60).contains($0) } <= 20)
        }
        #expect(calls.count > 140)
    }

    @Test func `closed, it refuses everybody for the rest of the time`() {
        var machine = CallMachine(limit)
        for caller: UInt64 in 1...3 { _ = machine.ask(caller, at: .zero) }
        machine.close(until: .seconds(60))
        machine.close(until: .seconds(30))
        #expect(machine.ask(4, at: .seconds(20)) == .refused(.seconds(40)))
        #expect(machine.ask(3, at: .seconds(20)) == .refused(.seconds(40)))
        #expect(machine.waiterCount == 0)
        #expect(machine.ask(5, at: .seconds(60)) == .go)
    }

    @Test func `without a limit nobody waits, but a closed service is left alone`() {
        var machine = CallMachine(nil)
        for caller: UInt64 in 1...100 { #expect(machine.ask(caller, at: .zero) == .go) }
        machine.close(until: .seconds(1))
        #expect(machine.ask(101, at: .zero) == .refused(.seconds(1)))
    }

    @Test func `no more wait than there is room for`() {
        var machine = CallMachine(CallLimit(callsPerMinute: 2))
        #expect(machine.ask(0, at: .zero) == .go)
        for caller in 1...UInt64(CallMachine.longestQueue) {
            #expect(machine.ask(caller, at: .zero) == .wait(.seconds(60)))
        }
        #expect(machine.ask(99, at: .zero) == .refused(.seconds(60 * 33)))
    }

    @Test(arguments: [(0, 0, 1, 1), (1, 5, 1, 1), (2, 5, 2, 1), (20, 5, 20, 5), (20, 50, 20, 19)])
    func `a limit makes sense whatever it is made of`(
        _ calls: Int,
        _ burst: Int,
        _ allowed: Int,
        _ atOnce: Int
    ) {
        let limit = CallLimit(callsPerMinute: calls, burst: burst)
        #expect(limit.callsPerMinute == allowed && limit.burst == atOnce)
        #expect(limit.interval > .zero)
    }

    @Test(.timeLimit(.minutes(1))) func `a waiting call is cancelled immediately, and leaves the queue`()
        async throws
    {
        let clock = ManualClock()
        let gate = CallGate(CallLimit(callsPerMinute: 2), pause: .seconds(60), clock: clock)
        try await gate.enter()
        let waiting = Task { try await gate.enter() }
        try await clock.waitForSleepers(1)
        #expect(gate.waiterCount == 1)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(gate.waiterCount == 0)
        let next = Task { try await gate.enter() }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        try await next.value
    }

    @Test func `a service is left alone for as long as it says, or for the usual pause, an hour at most`() {
        let gate = CallGate(nil, pause: .seconds(60), clock: ManualClock())
        #expect(gate.close(for: .seconds(5)) == .seconds(5))
        #expect(gate.close(for: nil) == .seconds(60))
        #expect(gate.close(for: .seconds(1 << 40)) == .seconds(3600))
        #expect(gate.close(for: .seconds(-3)) == .zero)
    }
}
