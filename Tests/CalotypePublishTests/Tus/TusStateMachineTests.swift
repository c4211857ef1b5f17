import Testing

@testable import CalotypePublish

@Suite struct TusStateMachineTests {
    @Test func `pieces follow one another to the end`() {
        var machine = TusStateMachine(length: 25, pieceBytes: 10)
        #expect(machine.told(0) == .send(0..<10))
        #expect(machine.told(10, afterSending: 0..<10) == .send(10..<20))
        #expect(machine.told(20, afterSending: 10..<20) == .send(20..<25))
        #expect(machine.told(25, afterSending: 20..<25) == .finish)
    }

    @Test func `what brings the upload no further is counted until something does`() {
        var machine = TusStateMachine(length: 100, pieceBytes: 10)
        for round in 1...3 {
            for _ in 0..<TusStateMachine.maximumDetours {
                #expect(machine.refused(0..<10) == .ask)
            }
            #expect(machine.told(round) == .send(round..<(round + 10)))
        }
        for _ in 0..<TusStateMachine.maximumDetours { _ = machine.refused(3..<13) }
        #expect(machine.told(3) == .send(3..<13))
        #expect(machine.refused(3..<13) == .fail(.stuck(at: 3)))
    }

    @Test func `what was there before does not count as further`() {
        var machine = TusStateMachine(length: 100, pieceBytes: 10)
        #expect(machine.told(50) == .send(50..<60))
        for _ in 0..<TusStateMachine.maximumDetours {
            #expect(machine.refused(50..<60) == .ask)
            #expect(machine.told(20) == .send(20..<30))
            #expect(machine.told(30, afterSending: 20..<30) == .send(30..<40))
        }
        #expect(machine.refused(50..<60) == .fail(.stuck(at: 50)))
    }

    @Test(arguments: [0, 1, 5])
    func `pieces of no length are pieces of one byte`(length: Int) {
        var machine = TusStateMachine(length: length, pieceBytes: 0)
        #expect(machine.told(0) == (length == 0 ? .finish : .send(0..<1)))
    }
}
