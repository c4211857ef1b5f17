import Testing

@testable import CalotypeHTTPListener

/// Whose turn it is, state by state and event by event.
@Suite struct TurnMachineTests {
    /// How each state is reached.
    private static let ways: [(TurnMachine.State, [Event])] = [
        (.readingHead, []),
        (.refused, [.headRefused]),
        (.offered, [.headWithoutBody]),
        (.opened, [.headWithBody]),
        (.working, [.headWithBody, .pause]),
        (.receiving, [.headWithBody, .pause, .resumeReceiving]),
        (.ready, [.headWithBody, .pause, .answer]),
        (.sending, [.headWithBody, .pause, .answer, .call]),
        (.starving, [.headWithBody, .pause, .answer, .call, .pause]),
        (.left(isAnswered: false), [.leave]),
        (.left(isAnswered: true), [.headWithBody, .answerImmediately, .leave]),
        (.ended(isComplete: false), [.end]),
        (.ended(isComplete: true), [.headWithBody, .answerImmediately, .end]),
    ]

    /// What changes in which state; an event that is not listed changes nothing.
    private static let changes: [(TurnMachine.State, Event, TurnMachine.State, TurnMachine.Change?)] = [
        (.readingHead, .headWithBody, .opened, nil),
        (.readingHead, .headWithoutBody, .offered, nil),
        (.readingHead, .headRefused, .refused, nil),
        (.offered, .call, .opened, nil),
        (.opened, .answerImmediately, .sending, nil),
        (.opened, .pause, .working, .suspend),
        (.receiving, .pause, .working, .suspend),
        (.sending, .pause, .starving, .suspend),
        (.working, .resumeReceiving, .receiving, .resume),
        (.starving, .resumeSending, .sending, .resume),
        (.working, .answer, .ready, .resume),
        (.receiving, .answer, .ready, nil),
        (.ready, .call, .sending, nil),
        (.readingHead, .leave, .left(isAnswered: false), nil),
        (.refused, .leave, .left(isAnswered: false), nil),
        (.offered, .leave, .left(isAnswered: false), nil),
        (.opened, .leave, .left(isAnswered: false), nil),
        (.working, .leave, .left(isAnswered: false), .resume),
        (.receiving, .leave, .left(isAnswered: false), nil),
        (.ready, .leave, .left(isAnswered: false), nil),
        (.sending, .leave, .left(isAnswered: true), nil),
        (.starving, .leave, .left(isAnswered: true), .resume),
        (.sending, .end, .ended(isComplete: true), nil),
        (.starving, .end, .ended(isComplete: true), nil),
        (.left(isAnswered: true), .end, .ended(isComplete: true), nil),
    ]

    private static let calls: [(TurnMachine.State, TurnMachine.Call)] = [
        (.readingHead, .readHead), (.refused, .proceed), (.offered, .open), (.opened, .receive),
        (.working, .wait), (.receiving, .receive), (.ready, .answer), (.sending, .proceed),
        (.starving, .wait), (.left(isAnswered: false), .close), (.left(isAnswered: true), .close),
        (.ended(isComplete: false), .close), (.ended(isComplete: true), .close),
    ]

    @Test func `each state is reached`() {
        for (state, events) in Self.ways { #expect(Self.machine(events).state == state) }
    }

    @Test func `each event changes what the table says, and nothing else`() {
        for (state, events) in Self.ways {
            for event in Event.allCases {
                var machine = Self.machine(events)
                let change = event.happen(to: &machine)
                let row = Self.changes.first { $0.0 == state && $0.1 == event }
                var expected = row?.2 ?? state
                // Whatever is not listed ends incomplete.
                if event == .end, row == nil { expected = .ended(isComplete: false) }
                #expect(machine.state == expected, "\(event) in \(state)")
                #expect(change == row?.3, "\(event) in \(state)")
            }
        }
    }

    @Test func `each call of the library gets the step of its state`() {
        #expect(Self.calls.count == Self.ways.count)
        for (state, events) in Self.ways {
            var machine = Self.machine(events)
            #expect(machine.call() == Self.calls.first { $0.0 == state }?.1, "\(state)")
        }
    }

    @Test func `a response is accepted only while the responder works`() {
        for (state, events) in Self.ways {
            var machine = Self.machine(events)
            #expect(machine.answer().isAccepted == (state == .working || state == .receiving), "\(state)")
        }
    }

    @Test func `the connection is suspended in two states`() {
        for (state, events) in Self.ways {
            #expect(Self.machine(events).isOurTurn == (state == .working || state == .starving), "\(state)")
        }
    }

    private static func machine(_ events: [Event]) -> TurnMachine {
        var machine = TurnMachine()
        for event in events { _ = event.happen(to: &machine) }
        return machine
    }
}

private enum Event: CaseIterable {
    case headWithBody, headWithoutBody, headRefused, call, answerImmediately, pause
    case resumeReceiving, resumeSending, answer, leave, end

    func happen(to machine: inout TurnMachine) -> TurnMachine.Change? {
        switch self {
        case .headWithBody: machine.headCame(hasBody: true)
        case .headWithoutBody: machine.headCame(hasBody: false)
        case .headRefused: machine.refuseHead()
        case .call: _ = machine.call()
        case .answerImmediately: machine.answerImmediately()
        case .pause: return machine.pause()
        case .resumeReceiving: return machine.resumeReceiving()
        case .resumeSending: return machine.resumeSending()
        case .answer: return machine.answer().1
        case .leave: return machine.leave()
        case .end: machine.end(isComplete: true)
        }
        return nil
    }
}
