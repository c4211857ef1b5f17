import TaskFlow
import TaskFlowTesting

/// What a random program does with a gate.
enum GateOperation: Sendable {
    /// Makes the gate; without it, the gate admits a weight of one.
    case open(capacity: Int, keptBack: Int, from: WorkPriority)
    case take(GateTaker)
    /// Takes a permit if there is one now.
    case tryTake(id: Int, weight: Int, WorkPriority, pause: Int)
    case cancel(id: Int, pause: Int)
    case resize(to: Int, pause: Int)
    /// Changes how urgent it is to one that waits.
    case change(id: Int, to: Rank, pause: Int)
}

extension GateOperation: CustomStringConvertible {
    /// Whether it is more than one who takes a permit and gives it back.
    var isDisturbance: Bool {
        switch self {
        case .open, .take: false
        default: true
        }
    }

    var description: String {
        switch self {
        case .open(let capacity, let keptBack, let priority):
            "open a gate for \(capacity), \(keptBack) kept back from what is below \(priority)"
        case .take(let taker):
            "taker \(taker.id) takes \(taker.weight) with \(taker.rank) for \(taker.steps) steps"
                + (taker.change.map { ", changes it to \($0)" } ?? "") + ", ends by \(taker.ending)"
        case .tryTake(_, let weight, let priority, _): "try to take \(weight) with \(priority)"
        case .cancel(let id, _): "cancel taker \(id)"
        case .resize(let capacity, _): "resize to \(capacity)"
        case .change(let id, let rank, _): "change taker \(id) to \(rank)"
        }
    }
}

/// One who waits for a permit, holds it for some steps, and gives it back.
struct GateTaker: Sendable {
    enum Ending: Sendable, CaseIterable {
        case release, releaseTwice, drop, scope
    }

    let id: Int
    let weight: Int
    /// How urgent it is at first.
    let rank: Rank
    let pause: Int
    let steps: Int
    /// What it holds after the first step, if that changes.
    let change: Int?
    let ending: Ending
}

enum GateProgram {
    static func make(_ random: inout ScheduleRandom) -> [GateOperation] {
        let capacity = random.number(1...4)
        let keptBack = random.oneIn(2) ? random.number(1...5) : 0
        var operations = [
            GateOperation.open(capacity: capacity, keptBack: keptBack, from: random.priority())
        ]
        let count = random.number(2...6)
        for id in 0..<count { operations.append(.take(taker(id, &random))) }
        for _ in 0..<random.number(0...5) { operations.append(disturbance(count, &random)) }
        for id in count..<count + random.number(0...2) {
            let weight = random.number(-1...4)
            operations.append(
                .tryTake(id: id, weight: weight, random.priority(), pause: random.number(0...8))
            )
        }
        return operations
    }

    private static func taker(_ id: Int, _ random: inout ScheduleRandom) -> GateTaker {
        GateTaker(
            id: id,
            weight: random.oneIn(3) ? random.number(-1...9) : random.number(1...2),
            rank: Rank.random(&random),
            pause: random.number(0...3),
            steps: random.number(0...6),
            change: random.oneIn(3) ? random.number(0...7) : nil,
            ending: GateTaker.Ending.allCases.randomElement(using: &random) ?? .release
        )
    }

    private static func disturbance(_ count: Int, _ random: inout ScheduleRandom) -> GateOperation {
        let id = random.number(0...count - 1)
        let pause = random.number(0...12)
        switch random.number(0...9) {
        case 0..<5: return .cancel(id: id, pause: pause)
        case 5..<7: return .resize(to: random.number(0...6), pause: pause)
        default: return .change(id: id, to: Rank.random(&random), pause: pause)
        }
    }
}
