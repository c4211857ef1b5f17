import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeHTTP

@Suite(.timeLimit(.minutes(1)))
struct SendStateMachineTests {
    private static let error = CalotypeError(.sourceChanged, "shorter", stage: .request)

    private func size(_ taking: SendStateMachine.Taking) -> Int? {
        if case .block(let block, _) = taking { block.count } else { nil }
    }

    @Test func `blocks in memory are available immediately`() {
        var machine = SendStateMachine([[1], [2, 3]])
        #expect(size(machine.take()) == 1)
        #expect(size(machine.take()) == 2)
    }

    @Test func `a loop that found nothing is resumed, and one that found a block is not`() {
        var machine = SendStateMachine()
        #expect(size(machine.take()) == nil)
        #expect(machine.supply([1]) == true)
        #expect(size(machine.take()) == 1)
        #expect(machine.supply([2]) == false)
    }

    @Test func `no more than one block waits for the loop`() async {
        let machine = Guarded(SendStateMachine())
        let isWanted = await withCheckedContinuation { waiter in
            if machine.withLock({ $0.awaitRoom(waiter) }) == true { waiter.resume(returning: true) }
        }
        #expect(isWanted)
        _ = machine.withLock { $0.supply([1]) }
        let isWantedAgain = await withCheckedContinuation { waiter in
            #expect(machine.withLock { $0.awaitRoom(waiter) } == nil)
            guard case .block(_, let kept?) = machine.withLock({ $0.take() }) else { return }
            kept.resume(returning: true)
        }
        #expect(isWantedAgain)
    }

    @Test func `a waiter for space learns of the end, and later values are dropped`() async {
        let machine = Guarded(SendStateMachine())
        _ = machine.withLock { $0.supply([1]) }
        let isWanted = await withCheckedContinuation { waiter in
            #expect(machine.withLock { $0.awaitRoom(waiter) } == nil)
            machine.withLock { $0.end() }?.resume(returning: false)
        }
        #expect(!isWanted)
        #expect(machine.withLock { $0.supply([1]) } == false)
        #expect(machine.withLock { $0.fail(Self.error) } == false)
    }

    @Test func `data read before a failure is sent before the failure is reported`() {
        var machine = SendStateMachine()
        _ = machine.supply([1])
        #expect(machine.fail(Self.error) == false)
        #expect(size(machine.take()) == 1)
        guard case .failure(let error) = machine.take() else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .sourceChanged)
    }
}
