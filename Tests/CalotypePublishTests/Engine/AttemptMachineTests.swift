import Testing

@testable import CalotypePublish

@Suite struct AttemptMachineTests {
    @Test func `pauses double up to the longest, and end with the attempts`() {
        var machine = AttemptMachine(PublishRetry())
        let decisions = (0..<8).map { _ in machine.failed(.retry, at: .zero) }
        let pauses: [Double] = [0.5, 1, 2, 4, 8, 16, 30]
        #expect(decisions == pauses.map { .retry(upTo: .seconds($0)) } + [.giveUp])
    }

    @Test func `the count starts over when bytes advance`() {
        var machine = AttemptMachine(PublishRetry())
        for _ in 0..<7 { _ = machine.failed(.retry, at: .zero) }
        machine.advanced(at: .zero)
        #expect(machine.failed(.retry, at: .zero) == .retry(upTo: .milliseconds(500)))
    }

    @Test func `a permanent failure ends immediately`() {
        var machine = AttemptMachine(PublishRetry())
        #expect(machine.failed(.none, at: .zero) == .giveUp)
    }

    @Test func `a pause that the server requests applies to all, unless it is too long`() {
        var machine = AttemptMachine(PublishRetry())
        #expect(machine.failed(.wait(.seconds(20)), at: .zero) == .hold(.seconds(20)))
        #expect(machine.failed(.wait(.seconds(3600)), at: .zero) == .giveUp)
    }

    @Test func `the time that a server asks for is not taken from the budget`() {
        var machine = AttemptMachine(PublishRetry())
        for round in 0..<5 {
            let elapsed = Duration.seconds(30 * 60 * round)
            #expect(machine.failed(.wait(.seconds(30 * 60)), at: elapsed) == .hold(.seconds(30 * 60)))
            machine.waited(.seconds(30 * 60))
        }
    }

    @Test func `what begins late has its whole budget, and one long attempt does not use it up`() {
        var late = AttemptMachine(PublishRetry(), at: .seconds(3600))
        #expect(late.failed(.retry, at: .seconds(3601)) == .retry(upTo: .milliseconds(500)))
        var long = AttemptMachine(PublishRetry())
        #expect(long.failed(.retry, at: .seconds(3600)) == .retry(upTo: .milliseconds(500)))
        #expect(long.failed(.retry, at: .seconds(3601)) == .giveUp)
    }

    @Test func `a busy server is asked again for a minute and longer, within the budget`() {
        var machine = AttemptMachine(PublishRetry())
        var elapsed = Duration.zero
        while elapsed < .seconds(15 * 60) {
            guard case .retryAfter(let pause) = machine.failed(.busy, at: elapsed) else { break }
            #expect(pause <= .seconds(5))
            elapsed += pause
        }
        #expect(elapsed >= .seconds(15 * 60))
        #expect(machine.failed(.busy, at: elapsed) == .giveUp)
    }

    @Test func `a lost upload is restarted twice`() {
        var machine = AttemptMachine(PublishRetry())
        let decisions = (0..<3).map { _ in machine.failed(.startOver, at: .zero) }
        #expect(decisions == [.startOver, .startOver, .giveUp])
    }
}
