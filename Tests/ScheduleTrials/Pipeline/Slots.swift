import Calotype
import CalotypeCore
import TaskFlowTesting

/// Random programs of slots and galleries on the main actor: what is shown is what was asked for last, whatever comes when.
enum Slots {
    enum Operation: Sendable, CustomStringConvertible {
        case manners(ChangingOrigin.Manners, seed: UInt64)
        case show(slot: Int, name: Int)
        case clear(slot: Int)
        case drop(slot: Int)
        case display(index: Int)
        case hide(index: Int)
        /// Another picture belongs to the index from now on.
        case turn(index: Int, name: Int)
        case leave
        case wait(milliseconds: Int)

        var description: String {
            switch self {
            case .manners(let manners, let seed): "\(manners), seed \(seed)"
            case .show(let slot, let name): "slot \(slot) shows \(name)"
            case .clear(let slot): "slot \(slot) is cleared"
            case .drop(let slot): "slot \(slot) is let go"
            case .display(let index): "index \(index) is displayed"
            case .hide(let index): "index \(index) is hidden"
            case .turn(let index, let name): "index \(index) has the picture \(name)"
            case .leave: "the gallery is left"
            case .wait(let milliseconds): "wait \(milliseconds) ms"
            }
        }
    }

    static let slotCount = 2

    static func program(_ random: inout ScheduleRandom) -> [Operation] {
        var manners = ChangingOrigin.Manners()
        manners.slowness = [0, 2, 6][Int.random(in: 0..<3, using: &random)]
        let count = Int.random(in: 2...6, using: &random)
        return [.manners(manners, seed: random.next())] + (0..<count).map { _ in operation(&random) }
    }

    private static func operation(_ random: inout ScheduleRandom) -> Operation {
        func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        switch number(0..<16) {
        case 0..<5: return .show(slot: number(0..<slotCount), name: number(0..<TrialPictures.nameCount))
        case 5: return .clear(slot: number(0..<slotCount))
        case 6: return .drop(slot: number(0..<slotCount))
        case 7..<10: return .display(index: number(0..<3))
        case 10: return .hide(index: number(0..<3))
        case 11: return .turn(index: number(0..<3), name: number(0..<TrialPictures.nameCount))
        case 12: return .leave
        default: return .wait(milliseconds: number(1..<60))
        }
    }

    static func run(_ operations: [Operation]) async throws {
        var (manners, seed) = (ChangingOrigin.Manners(), 0 as UInt64)
        if case .manners(let chosen, let chosenSeed) = operations.first {
            (manners, seed) = (chosen, chosenSeed)
        }
        let origin = ChangingOrigin(manners, seed: seed)
        let configuration = TrialPipeline.configuration(origin.transport)
        try await TrialPipeline.run(configuration, origin.transport, slowness: 2) { pipeline in
            let run = await SlotsRun(pipeline)
            for operation in operations {
                if case .wait(let milliseconds) = operation {
                    try await Task.sleep(for: .milliseconds(milliseconds))
                }
                await run.perform(operation)
                await Task.yield()
            }
            try await TrialPipeline.expectQuiet(pipeline)
            try await run.finish()
        }
    }
}
