import TaskFlow
import TaskFlowTesting

/// A concurrent iteration, at random.
enum ResultsOperation: Sendable {
    case iterate(ResultsPlan)
    /// One more input, and what is done with it.
    case input(ResultsInput)
    case cancel(pause: Int)
}

/// How the results are read.
struct ResultsPlan: Sendable {
    enum Leaving: Sendable, Equatable {
        case atTheEnd
        case breaks(after: Int)
        case throwsError(after: Int)
    }

    var limit = 1
    var order = ResultOrder.completion
    var failsFast = false
    /// Whether the inputs end with an error.
    var inputFails = false
    /// How the scope ends, if it is one of the caller's.
    var scopeEnding: TaskScope.Ending?
    var readerCount = 1
    /// How slowly it reads.
    var pause = 0
    var leaving = Leaving.atTheEnd
}

struct ResultsInput: Sendable {
    let number: Int
    /// How long it takes to come.
    let pause: Int
    let steps: Int
    let fails: Bool
    /// Whether its operation ends early when cancelled.
    let obeys: Bool
}

extension ResultsOperation: CustomStringConvertible {
    var description: String {
        switch self {
        case .iterate(let plan):
            "iterate, limit \(plan.limit), \(plan.order) order\(plan.failsFast ? ", fail fast" : "")"
                + "\(plan.inputFails ? ", the input fails" : ""), \(plan.readerCount) readers, \(plan.leaving)"
        case .input(let input):
            "input \(input.number), \(input.steps) steps\(input.fails ? ", fails" : "")\(input.obeys ? "" : ", stubborn")"
        case .cancel: "cancel"
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [ResultsOperation] {
        var plan = ResultsPlan()
        plan.limit = random.number(1...3)
        plan.order = random.oneIn(2) ? .input : .completion
        plan.failsFast = random.oneIn(3)
        plan.inputFails = random.oneIn(5)
        plan.scopeEnding = [nil, nil, .cancel, .drain][random.number(0...3)]
        plan.readerCount = random.oneIn(6) ? 2 : 1
        plan.pause = random.number(0...2)
        switch random.number(0...5) {
        case 0: plan.leaving = .breaks(after: random.number(0...3))
        case 1: plan.leaving = .throwsError(after: random.number(0...3))
        default: break
        }
        let inputs = (0..<random.number(0...7)).map { number in
            ResultsInput(
                number: number,
                pause: random.oneIn(3) ? random.number(1...2) : 0,
                steps: random.number(0...3),
                fails: random.oneIn(6),
                obeys: random.oneIn(2)
            )
        }
        let cancels = random.oneIn(3) ? [ResultsOperation.cancel(pause: random.number(0...9))] : []
        return [.iterate(plan)] + inputs.map { .input($0) } + cancels
    }
}

/// The inputs as they come, and an error after them if they are to fail.
struct ResultsInputs: AsyncSequence, Sendable {
    struct Failed: Error {}

    let inputs: [ResultsInput]
    let fails: Bool
    let isTaken: @Sendable (ResultsInput) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(all: self) }

    struct Iterator: AsyncIteratorProtocol {
        let all: ResultsInputs
        private var next = 0

        init(all: ResultsInputs) {
            self.all = all
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(Failed) -> ResultsInput? {
            guard next < all.inputs.count else {
                if all.fails { throw Failed() }
                return nil
            }
            let input = all.inputs[next]
            next += 1
            await pause(input.pause)
            all.isTaken(input)
            return input
        }

        mutating func next() async throws(Failed) -> ResultsInput? {
            try await next(isolation: nil)
        }
    }
}
