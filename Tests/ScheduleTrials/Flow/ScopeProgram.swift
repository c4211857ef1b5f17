import TaskFlow
import TaskFlowTesting

/// What a random program does with a scope.
enum ScopeOperation: Sendable, CustomStringConvertible {
    /// Makes the scope that of a function's body; it is the trial's own without.
    case body(steps: Int, TaskScope.Ending, throws: Bool)
    /// Starts a task, which starts others of the scope itself.
    case start(id: Int, steps: Int, children: Int, obeys: Bool, pause: Int)
    case cancelOne(id: Int, pause: Int)
    case end(ScopeEnding, ownerCancelledAfter: Int?, pause: Int)

    var description: String {
        switch self {
        case .body(let steps, let ending, let fails):
            "a body of \(steps) steps\(fails ? " that throws" : ""), at its end \(ending)"
        case .start(let id, let steps, let children, let obeys, _):
            "start \(id), \(steps) steps\(obeys ? "" : ", stubborn")\(children > 0 ? ", starts \(children)" : "")"
        case .cancelOne(let id, _): "cancel \(id)"
        case .end(let ending, let cancel, _): "end: \(ending)\(cancel == nil ? "" : ", owner cancelled")"
        }
    }

    static func program(_ random: inout ScheduleRandom) -> [ScopeOperation] {
        let count = random.number(1...5)
        var operations: [ScopeOperation] = []
        if random.oneIn(3) {
            let ending = random.oneIn(2) ? TaskScope.Ending.cancel : .drain
            operations.append(.body(steps: random.number(0...5), ending, throws: random.oneIn(3)))
        }
        operations += (1...count).map { id in
            ScopeOperation.start(
                id: id,
                steps: random.number(0...4),
                children: random.oneIn(4) ? random.number(1...2) : 0,
                obeys: random.oneIn(2),
                pause: random.number(0...4)
            )
        }
        if random.oneIn(3) {
            operations.append(.cancelOne(id: random.number(1...count), pause: random.number(0...5)))
        }
        for _ in 0..<random.number(0...2) {
            operations.append(
                .end(
                    ScopeEnding.allCases.randomElement(using: &random) ?? .cancel,
                    ownerCancelledAfter: random.oneIn(3) ? random.number(0...3) : nil,
                    pause: random.number(0...6)
                )
            )
        }
        return operations
    }
}
