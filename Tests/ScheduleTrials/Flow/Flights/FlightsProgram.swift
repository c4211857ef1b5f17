import TaskFlowTesting

/// What a random program does with a coalescer.
enum FlightsOperation: Sendable {
    case call(FlightsCaller)
    case cancel(id: Int, pause: Int)
    /// Changes a priority, which may be that of several callers.
    case change(priority: Int, to: Rank, pause: Int)
    case endScope(ScopeEnding, pause: Int)
}

enum ScopeEnding: Sendable, CaseIterable {
    case cancelAll, cancel, drain
}

/// One that wants the value of a key, and what its operation does if it is the first.
struct FlightsCaller: Sendable {
    enum Conduct: Sendable, CaseIterable {
        /// Takes its steps and ends early when cancelled.
        case cooperative
        /// Sleeps, and ends early when cancelled.
        case sleeping
        /// Takes its steps also when cancelled.
        case stubborn
    }

    let id: Int
    let key: Int
    /// The number of its priority; that of an earlier caller or its own.
    let priority: Int
    /// How urgent it is at first, if the priority is its own.
    let rank: Rank
    let pause: Int
    let conduct: Conduct
    let steps: Int
    let fails: Bool
}

extension FlightsOperation: CustomStringConvertible {
    var description: String {
        switch self {
        case .call(let caller):
            "caller \(caller.id) wants key \(caller.key) with "
                + (caller.priority == caller.id
                    ? "\(caller.rank)" : "the priority of caller \(caller.priority)") + "; its operation "
                + "\(caller.fails ? "fails" : "ends") after \(caller.steps) steps, \(caller.conduct)"
        case .cancel(let id, _): "cancel caller \(id)"
        case .change(let id, let rank, _): "change the priority of caller \(id) to \(rank)"
        case .endScope(let ending, _): "end the scope: \(ending)"
        }
    }
}

enum FlightsProgram {
    static func make(_ random: inout ScheduleRandom) -> [FlightsOperation] {
        let keys = random.number(1...2)
        let count = random.number(2...5)
        var operations = (0..<count).map { FlightsOperation.call(caller($0, keys, &random)) }
        for _ in 0..<random.number(0...5) {
            let id = random.number(0...count - 1)
            let pause = random.number(0...10)
            operations.append(
                random.oneIn(3)
                    ? .change(priority: id, to: Rank.random(&random), pause: pause)
                    : .cancel(id: id, pause: pause)
            )
        }
        if random.oneIn(4) {
            let ending = ScopeEnding.allCases.randomElement(using: &random) ?? .cancel
            operations.append(.endScope(ending, pause: random.number(0...6)))
        }
        return operations
    }

    private static func caller(_ id: Int, _ keys: Int, _ random: inout ScheduleRandom) -> FlightsCaller {
        FlightsCaller(
            id: id,
            key: random.number(1...keys),
            priority: random.oneIn(4) ? random.number(0...id) : id,
            rank: Rank.random(&random),
            pause: random.number(0...4),
            conduct: FlightsCaller.Conduct.allCases.randomElement(using: &random) ?? .cooperative,
            steps: random.number(0...5),
            fails: random.oneIn(5)
        )
    }
}
